// The report of a table without what may not be shown: the lines stay, with their reasons and places, and lose their values.
import * as z from 'zod';
import type { Objects } from '../../core/objects.ts';
import { type Reject, rejectSchema, type RejectsSummary, summaryOf, withoutValue } from './reject.ts';

/** The lines of a report; undefined where it is gone. */
export async function readReport(objects: Objects, key: string): Promise<Reject[] | undefined> {
  const bytes = await objects.get(key);
  if (bytes === undefined) return undefined;
  const lines = Buffer.from(bytes).toString().split('\n').filter(Boolean);
  return z.array(rejectSchema).parse(lines.map((line) => JSON.parse(line) as unknown));
}

interface Hiding {
  readonly hidden: ReadonlySet<string>;
  /** Whether a value is personal whatever its column is; none where it is absent. */
  readonly isPersonal?: ((value: string, column?: string) => boolean) | undefined;
}

function shown(reject: Reject, { hidden, isPersonal }: Hiding): Reject {
  const known = withoutValue(reject, hidden);
  if (known.value === undefined || isPersonal?.(known.value, known.column) !== true) return known;
  const { value: _value, ...rest } = known;
  return rest;
}

/**
 * The report without the values that are hidden: itself where it has none, else another at `key`. Nothing is removed. A run that comes again
 * finds what it wrote before, also where the first report is gone by then.
 */
export async function shownReport(
  objects: Objects,
  rejects: RejectsSummary,
  key: string,
  hiding: Hiding,
): Promise<RejectsSummary> {
  if (rejects.key === undefined) return rejects;
  const lines = (await readReport(objects, rejects.key)) ?? (await readReport(objects, key));
  if (lines === undefined) return { ...rejects, key: undefined, first: rejects.first.map((one) => shown(one, hiding)) };
  const left = lines.map((reject) => shown(reject, hiding));
  if (left.every(({ value }, place) => value === lines[place]?.value)) return rejects;
  await objects.putOnce(key, left.map((reject) => `${JSON.stringify(reject)}\n`).join(''));
  return { ...rejects, key, ...summaryOf(left) };
}

/** The report that an ingest publishes; the one with hidden values is removed. */
export async function shownRejects(
  objects: Objects,
  rejects: RejectsSummary | undefined,
  hiding: Hiding,
): Promise<RejectsSummary | undefined> {
  if (rejects?.key === undefined) return rejects;
  const target = rejects.key.replace(/\.ndjson$/, '-shown.ndjson');
  const shown = await shownReport(objects, rejects, target, hiding);
  if (shown.key !== rejects.key) await objects.delete(rejects.key);
  return shown;
}
