// Makes text plain before it is read: other encodings than UTF-8 are written out to disk as a stream.
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { warn } from '../warnings.ts';
import { detectEncoding, type DetectedEncoding, textAround } from './encoding/detect.ts';
import { decoderOf, type EncodingName } from './encoding/encodings.ts';
import { misfit } from './encoding/misfit.ts';
import { encodingOf } from './encoding/utf.ts';
import { headOf } from './head.ts';

/** Text that can be read from `start` as UTF-8. */
export interface PlainText {
  readonly path: string;
  /** Bytes to pass over: a byte order mark. */
  readonly start: number;
  readonly size: number;
  readonly warnings: readonly Warning[];
}

/** What the caller says, which is followed; only a byte order mark of another encoding stands against it. */
async function asSaid(path: string, said: EncodingName): Promise<DetectedEncoding> {
  const { name, bomBytes } = encodingOf(await headOf(path));
  if (bomBytes === 0 || name === said) return { name: said, bomBytes, guessed: false };
  throw new Fault('OPTION_MISFIT', `The option encoding is ${said}; the byte order mark of the file is of ${name}.`, {
    extra: { option: 'encoding' },
  });
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
    throw await misfit({ path, name, start: bomBytes, before: offset }, thrown);
  }
}

async function guessed(path: string, { name, firstHigh }: DetectedEncoding): Promise<Warning> {
  const example = firstHigh === undefined ? undefined : await textAround(path, firstHigh, name);
  return warn('ENCODING_GUESSED', { detail: `It is read as ${name}.`, example });
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
  const encoding = said === undefined ? await detectEncoding(path, signal) : await asSaid(path, said);
  const { size } = await stat(path);
  if (size <= encoding.bomBytes) throw new Fault('EMPTY_FILE', 'The file holds no text.');
  const warnings = encoding.guessed ? [await guessed(path, encoding)] : [];
  if (encoding.name === 'utf-8') return { path, start: encoding.bomBytes, size, warnings };
  const target = join(workDir, 'utf8');
  await pipeline(decoded(path, encoding), createWriteStream(target), { signal });
  return { path: target, start: 0, size: (await stat(target)).size, warnings };
}
