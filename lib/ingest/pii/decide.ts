// From the values of a column to its tag. Each detector says yes or no to single values; what counts is the share of different values that it
// says yes to, whether so many would match by chance, and what the name of the column says.
import type { Detector } from './detector.ts';
import { hintsAt } from './hints.ts';
import { keysOf, leavesOf } from './leaves.ts';

/** The share of values that makes a tag, unless the policy says otherwise. */
export const defaultThreshold = 0.5;
/** Of that: what is enough where the form of a value says it all, and where the name of the column says the same. */
const FOR_FORM = 0.2;
const FOR_HINT = 0.6;
/** A tag needs matches that chance would give less often than this. */
const SIGNIFICANCE = 0.05;
/** Longer texts are looked into word by word. */
const LONGEST_VALUE = 48;
/** Leading zeros that a number may have lost. */
const MOST_LOST_ZEROS = 2;

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

const isNested = (type: string): boolean => /^(STRUCT|MAP|UNION|JSON|VARIANT)|\]$/.test(type);
export const isNumber = (type: string): boolean =>
  /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL|DOUBLE|FLOAT)/.test(type);

/** A number as people would write an id: whole, without a point. */
export function plainNumber(text: string): string {
  const whole = text.replace(/\.0*$/, '');
  if (!/^-?\d+(?:\.\d+)?e\+?\d+$/i.test(whole)) return whole;
  const number = Number(whole);
  return Number.isSafeInteger(number) ? String(number) : whole;
}

/** Words of a text in which something personal could stand. */
export const wordsWithin = (text: string): string[] =>
  text.split(/[\s,;:()<>[\]{}"'|=]+/).filter((word) => word.length > 6 && /\d/.test(word));

/** Whether the detector says yes to a value, or to something inside it where its form is telling enough. */
export function detects(detector: Detector, value: string, hinted: boolean): boolean {
  const text = value.trim();
  if (text.length <= LONGEST_VALUE && detector.matches(text, hinted)) return true;
  if (detector.within) return detector.within(text);
  return detector.evidence === 'form' && wordsWithin(text).some((word) => detector.matches(word, hinted));
}

function detectsNumber(detector: Detector, value: string, hinted: boolean): boolean {
  const text = plainNumber(value);
  const lost = (detector.digits ?? text.length) - text.length;
  if (!/^\d+$/.test(text)) return false;
  return detector.matches(lost > 0 && lost <= MOST_LOST_ZEROS ? text.padStart(text.length + lost, '0') : text, hinted);
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

/** What one value shows to a detector; `hinted` where the name of the column says what the detector finds. */
type Test = (detector: Detector, value: string, hinted: boolean) => boolean;

const testOf = (type: string, table: string): Test => {
  if (isNumber(type)) return detectsNumber;
  if (!isNested(type)) return detects;
  return (detector, value, hinted) =>
    leavesOf(value).some(({ key, text }) => detects(detector, text, hinted || hintsAt(detector, key, table)));
};

/** The tag of the detector that the largest share of values matches, if that is enough of them; of equal ones the first. */
export function decide(
  { name, type, values }: SampledColumn,
  table: string,
  detectors: readonly Detector[],
  threshold = defaultThreshold,
): Found | undefined {
  const test = testOf(type, table);
  const names = isNested(type) ? [name, ...keysOf(values)] : [name];
  let best: Found | undefined;
  for (const detector of detectors) {
    const hinted = names.some((each) => hintsAt(detector, each, table));
    const need = needed(detector, hinted, threshold);
    if (need === Infinity) continue;
    const hintedValue = hintsAt(detector, name, table);
    const matches = values.filter((value) => test(detector, value, hintedValue)).length;
    const share = values.length === 0 ? 0 : matches / values.length;
    const telling = hinted || byChance(values.length, matches, detector.chance) <= SIGNIFICANCE;
    if (share === 0 || share < need || !telling || share <= (best?.share ?? 0)) continue;
    best = { tag: detector.tag, share, source: detector.evidence === 'hinted' ? 'hint' : 'rule' };
  }
  return best;
}

/** Whether any detector says yes to a value of a column without a tag, whatever the column is called: such a value goes into no sample. */
export function isPersonal(value: string, type: string, detectors: readonly Detector[]): boolean {
  const test = testOf(type, '');
  return detectors.some((detector) => detector.evidence !== 'hinted' && test(detector, value, false));
}
