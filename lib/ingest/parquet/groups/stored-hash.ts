// The hash of a file in the object store that is read for nothing else, a step a stretch of whole blocks.
import type { StageContext } from '../../../pipeline/stage.ts';
import { bytesOf, storedPlain } from '../../chunks/plain.ts';
import { catchUp, fitsInvocation, HASH_BLOCK_BYTES, textHash } from '../../chunks/text-hash.ts';
import type { ReadLimits } from '../../reading/types.ts';
import type { Stored } from './stored-footer.ts';

interface Hashing extends Stored {
  readonly ctx: Pick<StageContext, 'step' | 'progress' | 'signal'>;
  readonly limits: ReadLimits;
}

/** `TextHash.end`. Throws the Fault INPUT_UNREADABLE where the object is gone. */
export async function storedHash({ ctx, objects, file, limits }: Hashing): Promise<string> {
  const { size } = file;
  const bytes = (start = 0, end = size) => bytesOf(objects, storedPlain(file), { start, end });
  const told = (done: number) => ctx.progress(done, size, 'receive');
  if (fitsInvocation(size, limits))
    return ctx.step('hash', async () => {
      const hash = textHash(Infinity);
      await catchUp(hash, bytes, size, ctx.signal);
      told(size);
      return hash.end();
    });
  const share = Math.max(limits.chunkBytes, size / limits.maxChunks);
  const stretch = Math.ceil(share / HASH_BLOCK_BYTES) * HASH_BLOCK_BYTES;
  const hash = textHash(HASH_BLOCK_BYTES);
  for (let start = 0; start < size; start += stretch) {
    const end = Math.min(size, start + stretch);
    const blocks = await ctx.step(`hash ${start}`, async () => {
      await catchUp(hash, bytes, end, ctx.signal);
      return hash.blocksIn({ start, end });
    });
    hash.keep(blocks, end);
    told(end);
  }
  // The last block may be shorter than those that are kept.
  await catchUp(hash, bytes, size, ctx.signal);
  return hash.end();
}
