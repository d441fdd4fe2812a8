// A chunk that was surveyed before those that stand before it: what it says of itself, and from that what it says of the file once they are
// known. What is put together is what a survey in their order answers, or nothing.
import { isDeepStrictEqual } from 'node:util';
import { takenBehind } from '../csv/sample.ts';
import { freshTally, type Finding, type Tally } from '../csv/tally.ts';
import type { KeptColumn } from '../json/columns.ts';
import type { Surveyed } from './survey-chunk.ts';
import { addTallies, joined } from './survey-csv.ts';
import type { JsonState } from './survey-json.ts';

/** A row of the file is 1 at least, wherever it is counted from: with one before it, no number of a chunk alone is cut off. */
const ROWS_BEFORE = 1;

const noCounts = { string: 0, number: 0, boolean: 0, null: 0, nested: 0 };

function unread({ above, hasHeader, header, width }: Tally): Tally | undefined {
  if (header === undefined || above > 0) return undefined;
  return { ...freshTally(hasHeader ? 1 : 0), header, width, rows: ROWS_BEFORE };
}

/**
 * What a chunk that begins at `start`, behind the end of a record, may know of the file where only the beginning of that was read; undefined
 * where it takes more to read it.
 */
export function behindKnown(known: Surveyed, start: number): Surveyed | undefined {
  const empty = { start, end: start, rows: 0, rowsBefore: ROWS_BEFORE, linesBefore: 0, lines: 0, sample: [] };
  const before = { ...empty, sampler: { block: -1, room: 0, all: true } };
  if (known.json !== undefined) {
    const { keys, phase } = known.json;
    if (phase !== 'line' && phase !== 'line end') return undefined;
    const bare = keys.map((key) => ({ ...key, counts: noCounts, first: {} }));
    return { ...before, json: { keys: bare, phase: 'line', begins: 'line' } };
  }
  const { csv } = known;
  const tally = csv && unread(csv.tally);
  return tally && { ...before, csv: { ...csv, tally } };
}

interface Alone {
  readonly assumed: Surveyed;
  readonly alone: Surveyed;
  readonly maxColumns: number;
}

/** A chunk that was surveyed behind `assumed`, as it is behind `before`; undefined where that is not told by the two of them. */
export function surveyedBehind(before: Surveyed, { alone, assumed, maxColumns }: Alone): Surveyed | undefined {
  if (before.end !== alone.start) return undefined;
  const rowsBefore = before.rowsBefore + before.rows;
  const shift = rowsBefore - ROWS_BEFORE;
  const csv = alone.csv && csvBehind(before.csv, alone.csv, shift);
  const json = alone.json && jsonBehind(before.json, { alone: alone.json, assumed: assumed.json, shift, maxColumns });
  if (csv === undefined && json === undefined) return undefined;
  const bytesOf = (record: string): number => Buffer.byteLength(record, 'base64');
  const taken = takenBehind(before.sampler, { records: alone.sample, state: alone.sampler }, bytesOf);
  return {
    ...alone,
    ...{ rowsBefore, linesBefore: before.linesBefore + before.lines },
    ...{ sample: taken.records, sampler: taken.state },
    ...(csv && { csv }),
    ...(json && { json }),
  };
}

const findingBehind = (finding: Finding | undefined, shift: number): Finding | undefined =>
  finding && { ...finding, row: Math.max(1, finding.row + shift) };

function csvBehind(before: Surveyed['csv'], { chunk, tally }: NonNullable<Surveyed['csv']>, shift: number) {
  if (before === undefined || !isDeepStrictEqual(unread(before.tally)?.header, tally.header)) return undefined;
  const notes = Object.entries(tally.notes).map(([what, finding]) => [what, findingBehind(finding, shift)]);
  const shifted: Tally = { ...tally, rows: tally.rows + shift, notes: Object.fromEntries(notes) as Tally['notes'] };
  return { chunk, tally: addTallies(before.tally, shifted) };
}

interface JsonAlone {
  readonly alone: NonNullable<Surveyed['json']>;
  readonly assumed: JsonState | undefined;
  readonly shift: number;
  readonly maxColumns: number;
}

const nameOf = ({ key, repeat }: Pick<KeptColumn, 'key' | 'repeat'>): string => `${repeat}:${key}`;

function jsonBehind(before: Surveyed['json'], { alone, assumed, shift, maxColumns }: JsonAlone): Surveyed['json'] {
  if (before?.phase !== 'line') return undefined;
  const known = new Set(before.keys.map(nameOf));
  // Else they would stand before keys that the chunk itself has earlier.
  if (assumed?.keys.every((key) => known.has(nameOf(key))) !== true) return undefined;
  const keys = keysBehind(before.keys, alone.keys, shift);
  if (keys.length > maxColumns) return undefined;
  const { flat, bad, ...rest } = alone;
  const isInOrder = alone.keys.every((key, index) => nameOf(key) === nameOf(keys[index] as KeptColumn));
  return {
    ...rest,
    ...{ keys, bad: joined(before.bad, findingBehind(bad, shift)) },
    flat: isInOrder ? flat : undefined,
  };
}

function keysBehind(before: readonly KeptColumn[], alone: readonly KeptColumn[], shift: number): KeptColumn[] {
  const all = new Map(before.map((key) => [nameOf(key), key]));
  for (const key of alone) {
    const name = nameOf(key);
    const known = all.get(name);
    const first = Object.fromEntries(
      Object.entries(key.first).map(([kind, { row, example }]) => [kind, { row: row + shift, example }]),
    );
    all.set(name, known === undefined ? { ...key, first } : bothOf(known, { ...key, first }));
  }
  return [...all.values()];
}

const bothOf = (known: KeptColumn, more: KeptColumn): KeptColumn => ({
  ...known,
  counts: {
    string: known.counts.string + more.counts.string,
    number: known.counts.number + more.counts.number,
    boolean: known.counts.boolean + more.counts.boolean,
    null: known.counts.null + more.counts.null,
    nested: known.counts.nested + more.counts.nested,
  },
  first: { ...more.first, ...known.first },
});
