// A compressed file, received: where its text is large it is written out in pieces, and read in chunks of those.
import { join } from 'node:path';
import { Fault } from '../../core/fault.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { isCompressed } from '../formats/compression/kinds.ts';
import { attemptKey, freshFolder, SOURCE } from '../stages/place.ts';
import { inRuns } from './in-runs.ts';
import { requireWhole, textFormatOf } from './large.ts';
import { receiveLarge } from './receive-large.ts';
import type { Looked, Receiving } from './receiving.ts';
import { unpackText } from './unpack.ts';

/** Faults: FILE_TOO_LARGE, those of `unpackText` and `planText`, and what reading it as a whole throws. */
export async function receivePacked(ctx: StageContext, receiving: Receiving): Promise<Looked> {
  requireWhole(receiving.file, receiving.limits);
  const { found, text } = await ctx.step('unpacked', () => unpacked(ctx, receiving));
  const [table] = found.tables;
  if (text === undefined || table === undefined) return { kind: 'found', of: found };
  const { plain, format } = text;
  try {
    const came = await inRuns(ctx, (step) => receiveLarge(ctx, plain, { ...receiving, table, format, step }));
    return came.kind === 'continue' ? came : { kind: 'found', of: { ...found, plan: came.value.plan } };
  } catch (thrown) {
    const isSaid = receiving.options.encoding !== undefined || plain.start > 0;
    if (isSaid || !(thrown instanceof Fault) || thrown.code !== 'ENCODING_INVALID') throw thrown;
    // Its encoding has to be found.
    return { kind: 'found', of: found };
  }
}

async function unpacked(ctx: StageContext, receiving: Receiving) {
  const found = await receiving.whole();
  const { format: name, compression } = found.source;
  const format = textFormatOf(name);
  const [table, ...others] = found.tables;
  const isOne = table !== undefined && others.length === 0 && table.within === undefined && table.entry === undefined;
  if (!isOne || format === undefined || !isCompressed(compression)) return { found };
  const workDir = await freshFolder(ctx, 'pieces');
  const path = join(await ctx.folder(), SOURCE);
  const keyOf = (piece: number) => attemptKey(ctx, receiving.dataset, table.table, `text-${piece}`);
  const { encoding } = receiving.options;
  const text = await unpackText({
    ...receiving,
    path,
    compression,
    format,
    encoding,
    workDir,
    keyOf,
    signal: ctx.signal,
  });
  return { found, ...(text && { text }) };
}
