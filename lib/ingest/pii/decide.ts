// From the values of a column to its tag. Each detector says yes or no to single values; what counts is the share of different values that it
// says yes to, whether so many would match by chance, and what the name of the column says.
import type { Detector } from './detector.ts';
import { hintsAt, namedBy } from './hints.ts';
import { keysOf, readerOf } from './shown-value.ts';

/** The share of values that makes a tag, unless the policy says otherwise. */
export const defaultThreshold = 0.5;
/** Of that: what is enough where the form of a value says it all, and where the name of the column says the same. */
const FOR_FORM = 0.2;
const FOR_HINT = 0.6;
/** A tag needs matches that chance would give less often than this. */
const SIGNIFICANCE = 0.05;

export interface Found {
  readonly tag: string;
  /** Of the different values that were looked at; 0 to 1. */
  readonly share: number;
  readonly source: 'rule' | 'hint';
}

export interface SampledColumn {
  readonly name: string;
  readonly type: string;
  /** Different values as text, none of them null. */
  readonly values: readonly string[];
}

/** The chance that at least `matches` of `count` values match, each with the given chance. */
export function byChance(count: number, matches: number, chance: number): number {
  let term = (1 - chance) ** count;
  let below = 0;
  for (let k = 0; k < matches; k += 1) {
    below += term;
    term *= ((count - k) / (k + 1)) * (chance / (1 - chance));
  }
  return Math.max(0, 1 - below);
}

function needed({ evidence }: Detector, hinted: boolean, threshold: number): number {
  if (evidence === 'form') return threshold * FOR_FORM;
  if (hinted) return threshold * FOR_HINT;
  return evidence === 'checked' ? threshold : Infinity;
}

/** The tag of the detector that the largest share of values matches, if that is enough of them; of equal ones the first. */
export function decide(
  { name, type, values }: SampledColumn,
  table: string,
  detectors: readonly Detector[],
  threshold = defaultThreshold,
): Found | undefined {
  const named = namedBy(name, table);
  const shown = values.map(readerOf(type, table));
  const names = [named, ...keysOf(shown)];
  let best: Found | undefined;
  for (const detector of detectors) {
    const hinted = names.some((each) => hintsAt(detector, each));
    const need = needed(detector, hinted, threshold);
    if (need === Infinity) continue;
    const hintedValue = hintsAt(detector, named);
    const matches = shown.filter((value) => value.shows(detector, hintedValue)).length;
    const share = values.length === 0 ? 0 : matches / values.length;
    const telling = hinted || byChance(values.length, matches, detector.chance) <= SIGNIFICANCE;
    if (share === 0 || share < need || !telling || share <= (best?.share ?? 0)) continue;
    best = { tag: detector.tag, share, source: detector.evidence === 'hinted' ? 'hint' : 'rule' };
  }
  return best;
}

/** Whether any detector says yes to a value of a column without a tag, whatever the column is called: such a value goes into no sample. */
export function isPersonal(value: string, type: string, detectors: readonly Detector[]): boolean {
  const shown = readerOf(type, '')(value);
  return detectors.some((detector) => detector.evidence !== 'hinted' && shown.shows(detector, false));
}
