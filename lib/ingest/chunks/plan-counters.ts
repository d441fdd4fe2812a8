// How the first plan of a large text asks what its columns hold: of the sample, and of the chunks where the sample shows too little.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { StageContext } from '../../pipeline/stage.ts';
import { withEngine } from '../engine/engine.ts';
import type { Counter } from '../typing/plan-table.ts';
import type { Rows, TextColumn } from '../typing/relation.ts';
import { macros } from '../typing/rungs.ts';
import { type Texts, textOf } from './chunk-rows.ts';
import { countChunk, type Counting, countKept, type Known, sumOf } from './count-chunk.ts';
import type { CountsOf } from './counts-of.ts';
import type { Chunk } from './plan.ts';
import { shareOf, sideBySide } from './side-by-side.ts';

/** What a column of JSON holds is known. */
const counted = (columns: readonly TextColumn[], indexes: readonly number[]): number[] =>
  indexes.filter((index) => columns[index]?.family !== 'json');

/** Columns of a sample that are counted side by side: it is too small for DuckDB to share it among its threads. */
const SIDES = 2;

interface Passing extends Omit<Counting, 'layout'> {
  readonly ctx: Pick<StageContext, 'step'>;
}

/** Counts a sample. */
export const countSample =
  (pass: Passing, from: Rows, layout: Known): Counter =>
  async (indexes) => {
    const asked = counted(layout.columns, indexes);
    const sides = Array.from({ length: Math.min(SIDES, asked.length) }, (_, side) =>
      asked.filter((_index, place) => place % SIDES === side),
    );
    const turns = { atOnce: pass.limits.chunksAtOnce, signal: pass.signal };
    const counts = await sideBySide(sides, turns, async (own, signal) => {
      const workDir = await mkdtemp(join(pass.workDir, 'sample-'));
      return withEngine({ workDir, limits: shareOf(pass.limits), signal }, async (engine) => {
        await engine.run(macros);
        return countKept(engine, layout, from, own, { bytes: 0, of: 'all' });
      });
    });
    return new Map(counts.flatMap((side) => [...side]));
  };

/** Reads the chunks again, for columns of which the sample shows nothing. */
export const countChunks =
  ({ ctx, ...pass }: Passing, texts: Omit<Texts, 'plain'>, chunks: readonly Chunk[]): Counter =>
  async (indexes) => {
    const open = counted(texts.columns, indexes);
    const counts: CountsOf[] = [];
    for (const [place, chunk] of open.length === 0 ? [] : chunks.entries())
      counts.push(
        await ctx.step(`count ${place}`, () =>
          countChunk({ ...pass, ...textOf({ ...texts, plain: pass.plain }, chunk) }, chunk, open),
        ),
      );
    return sumOf(counts);
  };
