// Makes the file plain before it is read: gzip and UTF-16 are written out to disk as streams, within a limit.
import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { asError } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { warn } from '../warnings.ts';
import { encodingOf, type Encoding } from './encoding.ts';

/** Text that can be read from `start` as UTF-8. */
export interface PlainText {
  readonly path: string;
  /** Bytes to pass over: a byte order mark. */
  readonly start: number;
  readonly size: number;
  readonly warnings: readonly Warning[];
}

const HEAD_BYTES = 65_536;

/** The first bytes of a file. */
export async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function bounded(limit: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen <= limit) return done(null, chunk);
      done(new Fault('DECOMPRESSION_LIMIT', `It expands to more than ${limit} bytes.`, { extra: { limit } }));
    },
  });
}

/**
 * Writes a gzip file out as a plain one and returns its path.
 * Faults: COMPRESSION_CORRUPT (cut short, damaged, or followed by something else), DECOMPRESSION_LIMIT.
 */
export async function gunzipTo(path: string, workDir: string, limit: number, signal?: AbortSignal): Promise<string> {
  const target = join(workDir, 'plain');
  const gunzip = createGunzip();
  try {
    await pipeline(createReadStream(path), gunzip, bounded(limit), createWriteStream(target), { signal });
  } catch (thrown) {
    signal?.throwIfAborted();
    const code = (thrown as NodeJS.ErrnoException).code ?? '';
    if (!code.startsWith('Z_')) throw thrown;
    throw new Fault('COMPRESSION_CORRUPT', `gzip: ${asError(thrown).message}.`, { cause: thrown });
  }
  await requireAllConsumed(path, gunzip.bytesWritten);
  return target;
}

/** zlib ends in silence at bytes after the last member that are no member; a damaged second member looks like that. */
async function requireAllConsumed(path: string, consumed: number): Promise<void> {
  const { size } = await stat(path);
  if (consumed < size) {
    throw new Fault('COMPRESSION_CORRUPT', `gzip: the bytes from offset ${consumed} on are no gzip data.`);
  }
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
