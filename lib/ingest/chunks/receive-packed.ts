// A compressed file, received: where its text is large it is written out in pieces as it comes from the store, and read in chunks of those. Of a
// zip archive only its list is looked at before.
import type { StageContext } from '../../pipeline/stage.ts';
import { attemptKey, freshFolder, tableIdOf } from '../stages/place.ts';
import { hashedBytes } from './hashed-bytes.ts';
import { requireWhole } from './large.ts';
import { planInRuns, type RawText } from './receive-text.ts';
import type { Found, Looked, Receiving } from './receiving.ts';
import { showPacked, storedBytes } from './show-packed.ts';
import { unpackText } from './unpack.ts';

/** What a file is opened as: text in pieces, which is to be planned, or something that was read as a whole. */
type Opened =
  | { readonly kind: 'pieces'; readonly text: RawText; readonly found: Found }
  | { readonly kind: 'whole'; readonly found: Found };

/** Faults: FILE_TOO_LARGE, those of `expand`, `detectFile` and `planInRuns`, and what reading it as a whole throws. */
export async function receivePacked(ctx: StageContext, receiving: Receiving): Promise<Looked> {
  const opened = await ctx.step('unpacked text', () => open(ctx, receiving));
  const { found } = opened;
  if (opened.kind === 'whole') return { kind: 'found', of: found };
  const came = await planInRuns(ctx, receiving, opened.text);
  if (came.kind === 'continue') return came;
  const { plans, tables, warnings } = came.value;
  return { kind: 'found', of: { ...found, tables, plans, warnings: [...found.warnings, ...warnings] } };
}

async function open(ctx: StageContext, receiving: Receiving): Promise<Opened> {
  const { objects, file, name, as, limits, take, hold, dataset } = receiving;
  const shown = await showPacked(ctx, receiving);
  if (shown === undefined) return asWhole(receiving);
  const { detected, format, holds, encoding, warnings } = shown;
  const named = as ?? detected.tableName;
  const hashed = hashedBytes(storedBytes(receiving), file.size, (done) => ctx.progress(done, file.size, 'receive'));
  const folder = holds === 'keys' ? await hold(named) : tableIdOf(ctx.ref, dataset, named);
  const plain = await unpackText(shown.text(hashed.bytes), {
    ...{ objects, pieceBytes: limits.chunkBytes, leastBytes: limits.chunkBytes, signal: ctx.signal },
    workDir: await freshFolder(ctx, 'pieces'),
    keyOf: (piece: number) => attemptKey(ctx, dataset, folder, `text-${piece}`),
  });
  if (plain === undefined) return asWhole(receiving);
  const table = holds === 'keys' ? undefined : await take({ name: named });
  const source = { name, format, compression: detected.compression, bytes: file.size, sha256: await hashed.end() };
  const text = { plain, format, holds, encoding, named, table };
  return { kind: 'pieces', text, found: { source, tables: [], warnings } };
}

async function asWhole({ file, limits, whole }: Receiving): Promise<Opened> {
  requireWhole(file, limits);
  return { kind: 'whole', found: await whole() };
}
