// What an empty text of several files means.
import { hasEmpty } from '../empty-texts.ts';
import { inChunkOf, type Planning, type United } from './united.ts';

/** A file that quotes every field has no other way to say NULL; where another file has empty texts that are none, all are kept. */
export async function isEmptyNull({ ctx, ...pass }: Planning, united: United): Promise<boolean> {
  const { files, places, chunks } = united;
  if (!files.some(({ emptyIsNull }) => emptyIsNull)) return false;
  if (files.some(({ emptyIsNull, hasEmptyQuoted }) => !emptyIsNull && hasEmptyQuoted)) return false;
  for (const [index, chunk] of chunks.entries()) {
    const at = chunk.file ?? 0;
    const texts = files[at]?.text.json?.keys.flatMap(({ counts }, own) => (counts.string > 0 ? [own] : [])) ?? [];
    const columns = texts.flatMap((own) => places[at]?.[own] ?? []);
    if (columns.length === 0) continue;
    const ask = () => inChunkOf(pass, united, chunk, (engine, rows) => hasEmpty(engine, rows, columns));
    if (await ctx.step(`empty texts ${index}`, ask)) return false;
  }
  return true;
}
