// The tags of the columns of one table: detectors of the service and of the workspace on a sample of the values of each column.
import type { Warning } from '../../core/warning.ts';
import { warn } from '../warnings.ts';
import { type CustomDetector, customTag, isHinted } from './custom.ts';
import { decide, defaultThreshold } from './decide.ts';
import type { Detector } from './detector.ts';
import type { ValuesOf } from '../look/values.ts';
import { isNumber, plainNumber } from './shown-value.ts';
import type { ColumnTag } from './tags.ts';

/** Which values a pattern matches as a whole. */
export type Match = (pattern: string, values: readonly string[]) => Promise<boolean[]>;

export interface TagRequest {
  readonly match: Match;
  /** The name of the table, which tells what a plain `name` is of. */
  readonly table: string;
  /** Of each column, the values that are looked at. */
  readonly values: readonly ValuesOf[];
  readonly detectors: readonly Detector[];
  readonly custom: readonly CustomDetector[];
  readonly threshold?: number | undefined;
}

export interface TaggedColumns {
  /** By name of column, those with a tag. */
  readonly tags: ReadonlyMap<string, ColumnTag>;
  readonly warnings: readonly Warning[];
}

/** Detectors of the workspace go before those of the service: it knows its data. */
export async function tagColumns(request: TagRequest): Promise<TaggedColumns> {
  const { match, table, values: sampled, detectors, threshold } = request;
  const own = await customTags(match, sampled, request.custom);
  const tags = new Map<string, ColumnTag>();
  for (const column of sampled) {
    const tag = own.tags.get(column.name) ?? decide(column, table, detectors, threshold);
    if (tag !== undefined) tags.set(column.name, rounded(tag));
  }
  return { tags, warnings: own.warnings };
}

const rounded = ({ share, ...tag }: ColumnTag): ColumnTag => ({
  ...tag,
  ...(share !== undefined && { share: Math.max(Number(share.toFixed(3)), 0.001) }),
});

/** The tag of the detector that matches the largest share of a column. */
async function customTags(
  match: Match,
  columns: readonly ValuesOf[],
  custom: readonly CustomDetector[],
): Promise<TaggedColumns> {
  const tags = new Map<string, ColumnTag>();
  const warnings: Warning[] = [];
  for (const detector of custom) {
    const found = await tagsBy(match, columns, detector);
    if (found === undefined) warnings.push(warn('DETECTOR_SKIPPED', { detail: `It is ${detector.name}.` }));
    const better = [...(found ?? [])].filter(([name, { share = 1 }]) => share > (tags.get(name)?.share ?? 0));
    better.forEach(([name, tag]) => tags.set(name, tag));
  }
  return { tags, warnings };
}

/** By name of column; undefined where RE2 finds the pattern too large. */
async function tagsBy(match: Match, columns: readonly ValuesOf[], detector: CustomDetector) {
  try {
    const tags: [string, ColumnTag | undefined][] = [];
    for (const column of columns) tags.push([column.name, await tagBy(match, column, detector)]);
    return new Map(tags.filter((each): each is [string, ColumnTag] => each[1] !== undefined));
  } catch (thrown) {
    if (/Invalid Input Error/.test(String(thrown))) return undefined;
    throw thrown;
  }
}

async function tagBy(match: Match, column: ValuesOf, detector: CustomDetector): Promise<ColumnTag | undefined> {
  const hinted = isHinted(detector, column.name);
  const tag = customTag(detector.name);
  if (detector.pattern === undefined) return hinted ? { tag, source: 'custom' } : undefined;
  if (column.values.length === 0) return undefined;
  const values = isNumber(column.type) ? column.values.map(plainNumber) : column.values;
  const matches = (await match(detector.pattern, values)).filter(Boolean).length;
  const share = matches / column.values.length;
  const need = (detector.threshold ?? defaultThreshold) * (hinted ? HINTED : 1);
  return matches > 0 && share >= need ? { tag, share, source: 'custom' } : undefined;
}

/** Of the threshold, where the name of the column says the same. */
const HINTED = 0.6;
