// Makes text plain before it is read: other encodings than UTF-8 are written out to disk as a stream.
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { fileBytes } from './bytes.ts';
import { detectEncoding, type DetectedEncoding, encodingAsSaid, encodingWarnings } from './encoding/detect.ts';
import { decoderOf, type EncodingName } from './encoding/encodings.ts';
import { misfit } from './encoding/misfit.ts';
import { headOf } from './head.ts';

/** Text that can be read from `start` as UTF-8. */
export interface PlainText {
  readonly path: string;
  /** Bytes to pass over: a byte order mark. */
  readonly start: number;
  readonly size: number;
  readonly warnings: readonly Warning[];
}

async function* decoded(path: string, { name, bomBytes }: DetectedEncoding): AsyncGenerator<string> {
  const decode = decoderOf(name);
  let offset = bomBytes;
  try {
    for await (const chunk of createReadStream(path, { start: bomBytes }) as AsyncIterable<Buffer>) {
      yield decode(chunk);
      offset += chunk.length;
    }
    yield decode();
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw await misfit(fileBytes(path), { name, start: bomBytes, before: offset }, thrown);
  }
}

/**
 * The text of a file as UTF-8, on disk. `encoding` is what the caller says it is in. Faults: EMPTY_FILE, OPTION_MISFIT (a byte
 * order mark says otherwise), ENCODING_INVALID with byteOffset (bytes that do not fit the encoding, several encodings in one file, or none that is
 * found by itself; UTF-8 that the caller says is proven while it is read).
 */
export async function plainText(
  path: string,
  workDir: string,
  {
    signal,
    encoding: said,
  }: { readonly signal?: AbortSignal | undefined; readonly encoding?: EncodingName | undefined },
): Promise<PlainText> {
  const encoding = said === undefined ? await detectEncoding(path, signal) : encodingAsSaid(await headOf(path), said);
  const { size } = await stat(path);
  if (size <= encoding.bomBytes) throw new Fault('EMPTY_FILE', 'The file holds no text.');
  const warnings = await encodingWarnings(fileBytes(path), encoding);
  if (encoding.name === 'utf-8') return { path, start: encoding.bomBytes, size, warnings };
  const target = join(workDir, 'utf8');
  await pipeline(decoded(path, encoding), createWriteStream(target), { signal });
  return { path: target, start: 0, size: (await stat(target)).size, warnings };
}
