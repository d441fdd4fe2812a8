// Which sign the numbers of a column of a large text carry: the sample says it, and all chunks of a column of which that has no value.
import type { StageContext } from '../../pipeline/stage.ts';
import { withEngine } from '../engine/engine.ts';
import type { Rows, TextColumn } from '../typing/relation.ts';
import { addExample, type Example, examplesIn, signed, withoutExample } from '../typing/signs.ts';
import { type Counting, inChunk } from './count-chunk.ts';
import { type Texts, textOf } from './chunk-rows.ts';
import type { Chunk } from './plan.ts';

interface Pass extends Omit<Counting, 'layout'> {
  readonly ctx: Pick<StageContext, 'step'>;
}

interface Sampled {
  readonly sample: Rows;
  readonly sampleIsAll: boolean;
  readonly chunks: readonly Chunk[];
}

/** The columns of the layout, with the signs of their numbers where the caller says that they may have one. */
export async function withSigns(
  { ctx, ...pass }: Pass,
  texts: Omit<Texts, 'plain'>,
  { sample, sampleIsAll, chunks }: Sampled,
): Promise<TextColumn[]> {
  const formats = texts.columns.map(({ numbers }) => numbers);
  const open = withoutExample(formats);
  if (open.length === 0) return texts.columns;
  const found = await withEngine(pass, (engine) => examplesIn(engine, sample, formats, open));
  const unknown = sampleIsAll ? [] : withoutExample(formats, found);
  for (const [place, chunk] of unknown.length === 0 ? [] : chunks.entries()) {
    const inThis = await ctx.step(`signs ${place}`, () =>
      inChunk(
        { ...pass, ...textOf({ ...texts, plain: pass.plain }, chunk) },
        chunk,
        async (engine, rows): Promise<[number, Example][]> => [...(await examplesIn(engine, rows, formats, unknown))],
      ),
    );
    for (const [index, example] of inThis) found.set(index, addExample(found.get(index), example));
  }
  return texts.columns.map((column, index) => {
    const numbers = signed(formats[index], found.get(index));
    return { ...column, ...(numbers && { numbers }) };
  });
}
