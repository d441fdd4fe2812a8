// Counts of what the values of some columns could be, a chunk at a time: asked where a sample says too little, or too much.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../../core/remove-folder.ts';
import { must } from '../../core/check.ts';
import { type Engine, withEngine } from '../engine/engine.ts';
import type { ReadLimits } from '../reading/types.ts';
import { countValues, type RowsToCount } from '../typing/count-values.ts';
import { addCounts, type Counts, noCounts } from '../typing/counts.ts';
import type { Rows } from '../typing/relation.ts';
import { macros } from '../typing/rungs.ts';
import { withoutMisfits } from '../typing/without-misfits.ts';
import { type Layout, rowsOfChunk, textOf } from './chunk-rows.ts';
import { type CountsOf, countsSchema } from './counts-of.ts';
import { type Fetching, fetchStretch } from './plain.ts';
import type { Chunk, TablePlan } from './plan.ts';
import { inTurn, shareOf, sideBySide } from './side-by-side.ts';

export interface Counting extends Fetching {
  readonly layout: Layout;
  readonly limits: ReadLimits;
  readonly workDir: string;
}

/** What `columns` hold in a chunk. Faults: INPUT_UNREADABLE. */
export const countChunk = (counting: Counting, chunk: Chunk, columns: readonly number[]): Promise<CountsOf> =>
  inChunk(counting, chunk, async (engine, all) => {
    await engine.run(macros);
    return [...(await countKept(engine, counting.layout, all, columns))];
  });

type Use<T> = (engine: Engine, all: Rows) => Promise<T>;

/** What `use` makes of the rows of a chunk. Faults: INPUT_UNREADABLE. */
export const inChunk = <T>(counting: Counting, chunk: Chunk, use: Use<T>): Promise<T> =>
  inTurn(counting.limits, () => withRows({ ...counting, limits: shareOf(counting.limits) }, chunk, use));

async function withRows<T>(counting: Counting, chunk: Chunk, use: Use<T>): Promise<T> {
  const { layout, limits, signal } = counting;
  const workDir = await mkdtemp(join(counting.workDir, 'count-'));
  try {
    const path = join(workDir, 'chunk');
    await fetchStretch(counting, chunk, path);
    const { all } = await rowsOfChunk({ layout, chunk, path, workDir, limits, signal });
    return await withEngine({ workDir, limits, signal }, (engine) => use(engine, all));
  } finally {
    await removeFolder(workDir);
  }
}

/** What of the plan the types see. */
export type Known = Pick<Layout, 'columns' | 'emptyIsNull' | 'dateOrder'>;

/** Counts of what the types see of the records that are not left out. */
export async function countKept(
  engine: Engine,
  { columns, emptyIsNull, dateOrder }: Known,
  all: Rows,
  indexes: readonly number[],
  which?: Omit<RowsToCount, 'columns'>,
): Promise<ReadonlyMap<number, Counts>> {
  const rows = { all, sample: all, sampleIsAll: true, rows: 0, bytes: 0 };
  const { table } = await withoutMisfits(engine, { ...rows, columns, emptyIsNull, dateOrder });
  return countValues(engine, table.all, indexes, { ...which, columns });
}

interface Counted {
  readonly plan: TablePlan;
  readonly places: readonly number[];
  readonly columns: readonly number[];
}

/** The counts of some chunks together, each kept as it is done, whoever counted it. `each` is told of every one. */
export async function keptCounts(
  { kept, ...counting }: Omit<Counting, 'plain' | 'layout'> & { readonly kept: string },
  { plan, places, columns }: Counted,
  each: () => void,
): Promise<CountsOf> {
  const { objects, limits } = counting;
  const turns = { atOnce: limits.chunksAtOnce, signal: counting.signal };
  const found = await sideBySide(places, turns, async (place, signal) => {
    const key = `${kept}/counts-${place}.json`;
    const known = await objects.get(key);
    const chunk = must(plan.chunks[place], 'a chunk');
    const counts =
      known === undefined
        ? await countChunk({ ...counting, ...textOf(plan, chunk), signal }, chunk, columns)
        : countsSchema.parse(JSON.parse(Buffer.from(known).toString()));
    if (known === undefined) await objects.putOnce(key, JSON.stringify(counts));
    each();
    return counts;
  });
  return [...sumOf(found)];
}

/** The counts of all rows of several chunks. */
export function sumOf(chunks: readonly CountsOf[]): Map<number, Counts> {
  const sum = new Map<number, Counts>();
  for (const [index, counts] of chunks.flat()) sum.set(index, addCounts(sum.get(index) ?? noCounts, counts));
  return sum;
}
