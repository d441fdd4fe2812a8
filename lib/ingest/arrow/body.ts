// The buffers of a batch as ranges of a local file, of which only what is asked for is read. Compressed ones are first written out, one at a
// time, so that a batch of any size takes no more memory than its largest compressed buffer.
import { ftruncateSync, writeSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { Fault } from '../../core/fault.ts';
import { MAX_HELD_BYTES, tooLarge } from '../rows/held.ts';
import type { LocalFile } from '../rows/local-file.ts';
import { damaged, longAt } from './flatbuffer.ts';
import { decodeLz4 } from './lz4.ts';
import { type BatchHead, bytesOf, type Region } from './messages.ts';

export interface Body {
  readonly file: LocalFile;
  /** In the file. */
  readonly buffers: readonly Region[];
}

const PREFIX_BYTES = 8;

function unpack(packed: Buffer, codec: 'lz4' | 'zstd'): Buffer {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const content = packed.subarray(PREFIX_BYTES);
  if (view.getBigInt64(0, true) === -1n) return content;
  const length = longAt(view, 0);
  if (length > MAX_HELD_BYTES) throw tooLarge('A buffer', length);
  if (codec === 'lz4') return decodeLz4(content, length);
  try {
    const plain = zstdDecompressSync(content, { maxOutputLength: Math.max(length, 1) });
    if (plain.length === length) return plain;
  } catch (thrown) {
    throw damaged('a buffer compressed with zstd is damaged.', thrown);
  }
  throw damaged('a buffer compressed with zstd has another size than it says.');
}

function written({ fd }: LocalFile, bytes: Buffer, offset: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, offset + at);
}

/** `scratch` is written over: it holds the buffers of one batch at a time. */
export function bodyOf(source: LocalFile, batch: BatchHead, scratch: number, maxBytes: number): Body {
  const { body, codec } = batch;
  const regions = batch.buffers.map(({ offset, length }) => {
    if (offset + length > body.length) throw damaged('a buffer ends behind its batch.');
    return { offset: body.offset + offset, length };
  });
  if (codec === 'none') return { file: source, buffers: regions };
  ftruncateSync(scratch, 0);
  let end = 0;
  const buffers = regions.map(({ offset, length }) => {
    if (length === 0) return { offset: end, length };
    if (length < PREFIX_BYTES) throw damaged('a compressed buffer is too short.');
    if (length > MAX_HELD_BYTES) throw tooLarge('A compressed buffer', length);
    const plain = unpack(bytesOf(source, offset, length), codec);
    if (end + plain.length > maxBytes)
      throw new Fault('DECOMPRESSION_LIMIT', `A batch expands to more than ${maxBytes} bytes.`, {
        extra: { limit: maxBytes },
      });
    written({ fd: scratch, size: 0 }, plain, end);
    const region = { offset: end, length: plain.length };
    end += plain.length;
    return region;
  });
  return { file: { fd: scratch, size: end }, buffers };
}

/** Bytes `from` to `to` of a buffer. Throws the Fault PARSE_ERROR where it is shorter. */
export function slice(body: Body, region: Region, from: number, to: number): Buffer {
  if (from === to) return Buffer.alloc(0);
  if (from < 0 || to < from || to > region.length)
    throw damaged(`a buffer of ${region.length} bytes is read up to byte ${to}.`);
  return bytesOf(body.file, region.offset + from, to - from);
}
