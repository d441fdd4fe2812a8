// Makes text plain before it is read: other encodings than UTF-8 are written out to disk as a stream.
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { asError } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { warn } from '../warnings.ts';
import { encodingOf, type Encoding } from './encoding.ts';
import { headOf } from './head.ts';

/** Text that can be read from `start` as UTF-8. */
export interface PlainText {
  readonly path: string;
  /** Bytes to pass over: a byte order mark. */
  readonly start: number;
  readonly size: number;
  readonly warnings: readonly Warning[];
}

function decoder(encoding: Encoding): Transform {
  const text = new TextDecoder(encoding.name, { fatal: true, ignoreBOM: true });
  let seen = encoding.bomBytes;
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk === undefined ? text.decode() : text.decode(chunk, { stream: true });
    } catch (cause) {
      throw new Fault('ENCODING_INVALID', `Not ${encoding.name}, at or after byte offset ${seen}.`, { cause });
    }
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        done(null, decode(chunk));
        seen += chunk.length;
      } catch (thrown) {
        done(asError(thrown));
      }
    },
    flush(done) {
      try {
        done(null, decode());
      } catch (thrown) {
        done(asError(thrown));
      }
    },
  });
}

/** The text of a file as UTF-8 on disk. Faults: ENCODING_INVALID (of UTF-16; UTF-8 is proven while it is read), EMPTY_FILE. */
export async function plainText(path: string, workDir: string, signal?: AbortSignal): Promise<PlainText> {
  const encoding = encodingOf(await headOf(path));
  const { size } = await stat(path);
  if (size <= encoding.bomBytes) throw new Fault('EMPTY_FILE', 'The file holds no text.');
  if (encoding.name === 'utf-8') return { path, start: encoding.bomBytes, size, warnings: [] };
  const target = join(workDir, 'utf8');
  await pipeline(createReadStream(path, { start: encoding.bomBytes }), decoder(encoding), createWriteStream(target), {
    signal,
  });
  const warnings = encoding.guessed ? [warn('ENCODING_GUESSED', { detail: `It is read as ${encoding.name}.` })] : [];
  return { path: target, start: 0, size: (await stat(target)).size, warnings };
}
