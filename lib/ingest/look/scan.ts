// One column of many rows: counted value by value where the sample lets few of them be expected, else one scan that measures all values and draws
// some of them.
import { must } from '../../core/check.ts';
import type { Engine } from '../engine/engine.ts';
import { type Overview, overviewAsked, readOverview } from '../profile/overview.ts';
import type { Batch } from './batch.ts';
import { COUNTED_VALUES, type Counted, countColumn } from './counts.ts';
import { lotOf } from './lots.ts';
import { isLong, type Looking, wantsValues } from './request.ts';
import { drawnAsked, estimateFrom, isRough, readDrawn } from './values.ts';

/** Nothing of what is not wanted. */
export interface Scanned {
  readonly values: readonly string[];
  readonly overview: Overview;
  /** About how many values differ, where they are too many to be counted. */
  readonly differ: number | Counted;
}

const nothing: Scanned = { values: [], overview: readOverview([]), differ: 0 };

/** The column at some place of a batch; `sample`: the table of drawn rows. */
export async function scanColumn(
  engine: Engine,
  looking: Looking,
  batch: Batch,
  { place, sample }: { readonly place: number; readonly sample: string },
): Promise<Scanned> {
  if (!wantsValues(looking)) return nothing;
  const { request, bytes: bytesOf } = looking;
  const column = must(batch.columns[place], 'a column');
  const bytes = bytesOf.get(column.name) ?? 0;
  const count = async (): Promise<Scanned> => {
    const differ = await countColumn(engine, looking, batch, { place, long: isLong(looking, column) });
    return { values: differ.values, overview: differ.overview, differ };
  };
  if (await seemsFew(engine, sample, place, { rows: request.rowCount, bytes })) return count();
  const measured = request.wanted.has('profile');
  const first = await draw(engine, looking, batch, place, { of: request.rowCount, measured });
  // Where few of many different values were drawn they are drawn once more, among about as many as differ.
  const again = first.differ > COUNTED_VALUES && isRough(first.lots);
  const better = again ? await draw(engine, looking, batch, place, { of: first.differ, measured: false }) : first;
  if (better.differ <= COUNTED_VALUES) return count();
  return { values: better.values, overview: first.overview, differ: better.differ };
}

/** Different values that a guess may be of, and still they are counted: it may be wrong by a few percent. */
const GUESSED_VALUES = 1.2 * COUNTED_VALUES;
/** Bytes of what counting may put aside where the guess is as wrong as it can be. */
const MOST_BYTES = 2 ** 29;
const BYTES_A_VALUE = 48;

/**
 * Whether few values differ, as a sample of rows lets guess: by Chao's estimate, which goes by how many values are there once and twice. The
 * share of those that are there once tells about how many others there may be at most (Good and Turing).
 */
async function seemsFew(
  engine: Engine,
  sample: string,
  place: number,
  { rows, bytes }: { readonly rows: number; readonly bytes: number },
): Promise<boolean> {
  if (rows <= COUNTED_VALUES) return true;
  const times = `SELECT count(*) AS times FROM ${sample} WHERE h${place} IS NOT NULL GROUP BY h${place}`;
  const [row = []] = await engine.texts(
    `SELECT coalesce(sum(times), 0), count(*), count(*) FILTER (times = 1), count(*) FILTER (times = 2) FROM (${times})`,
  );
  const [present = 0, seen = 0, once = 0, twice = 0] = row.map(Number);
  const likely = seen + (once * (once - 1)) / (2 * (twice + 1));
  const most = seen + (once / Math.max(1, present)) * rows;
  return likely <= GUESSED_VALUES && most * (BYTES_A_VALUE + bytes / rows) <= MOST_BYTES;
}

interface Draw {
  /** Values that are thought to differ. */
  readonly of: number;
  readonly measured: boolean;
}

async function draw(engine: Engine, looking: Looking, batch: Batch, place: number, { of, measured }: Draw) {
  const { type = '' } = batch.columns[place] ?? {};
  const [value, lot] = [batch.values[place] ?? '', lotOf(`hash(${batch.values[place] ?? ''})`, looking.seed)];
  const measures = measured ? overviewAsked({ value: 'value', type }) : [];
  const drawn = drawnAsked({ value: 'value', lot: 'lot', type, of }, looking.values);
  const [row = []] = await engine.texts(`SELECT ${[drawn, ...measures].join(', ')}
    FROM (SELECT ${value} AS value, ${lot} AS lot FROM ${batch.from})`);
  const [first, ...overview] = row;
  const { lots, values } = readDrawn(first);
  return { overview: readOverview(overview), lots, differ: estimateFrom(lots, of), values };
}
