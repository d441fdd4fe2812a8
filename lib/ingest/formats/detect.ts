// Name and content must agree on the format: a wrong name is refused here, before anything is read as what it is not.
import { constants, gunzipSync } from 'node:zlib';
import { Fault } from '../../core/fault.ts';
import type { DetectedFormat, FileFormat } from '../reading/types.ts';
import { type Content, contentOf, isGzip } from './content.ts';

const extensions: Readonly<Record<string, FileFormat>> = {
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  parquet: 'parquet',
};

const fitting: Readonly<Record<FileFormat, readonly Content[]>> = {
  csv: ['text', 'json scalar'],
  tsv: ['text', 'json scalar'],
  json: ['JSON array', 'JSON object', 'json scalar'],
  ndjson: ['JSON object', 'json scalar', 'text'],
  parquet: ['Parquet'],
};

const TABLE_NAME_CHARACTERS = 128;
/** Deflate expands at most 1,032 times, so that this bounds the memory of a look inside. */
const GZIP_LOOK_BYTES = 4096;

/** An identifier from a file name without its extensions: never empty, no leading digit, at most 128 characters. */
export function tableNameOf(stem: string): string {
  const plain = stem.replace(/[^A-Za-z0-9_]/gu, '_');
  const named = /^[A-Za-z_]/.test(plain) ? plain : `t_${plain}`;
  return named.slice(0, TABLE_NAME_CHARACTERS);
}

function splitName(name: string): { stem: string; extension: string; gzip: boolean } {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const gzip = /\.gz$/i.test(base);
  const inner = gzip ? base.slice(0, -3) : base;
  const dot = inner.lastIndexOf('.');
  return dot < 0
    ? { stem: inner, extension: '', gzip }
    : { stem: inner.slice(0, dot), extension: inner.slice(dot + 1).toLowerCase(), gzip };
}

function inflateHead(head: Uint8Array): Uint8Array {
  try {
    return gunzipSync(head.subarray(0, GZIP_LOOK_BYTES), { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (cause) {
    throw new Fault('COMPRESSION_CORRUPT', 'The gzip data cannot be read from its start.', { cause });
  }
}

/**
 * What the file is, by its name and its first bytes (64 KiB are plenty; 4 KiB at least, or the whole file).
 * Faults: EMPTY_FILE, FORMAT_UNKNOWN, FORMAT_MISMATCH, COMPRESSION_CORRUPT.
 */
export function detectFormat({ name, head }: { name: string; head: Uint8Array }): DetectedFormat {
  if (head.length === 0) throw new Fault('EMPTY_FILE', 'The file has 0 bytes.');
  const { stem, extension, gzip } = splitName(name);
  const format = Object.hasOwn(extensions, extension) ? extensions[extension] : undefined;
  if (format === undefined) {
    throw new Fault(
      'FORMAT_UNKNOWN',
      `The extension ${JSON.stringify(extension.slice(0, 32))} stands for no format that is read here.`,
    );
  }
  if (gzip !== isGzip(head)) {
    throw new Fault(
      'FORMAT_MISMATCH',
      gzip
        ? 'The name ends in .gz, but the content is not gzip.'
        : 'The content is gzip, but the name does not end in .gz.',
    );
  }
  const content = contentOf(gzip ? inflateHead(head) : head);
  if (content === 'nothing') throw new Fault('EMPTY_FILE', 'The compressed file holds 0 bytes.');
  if (!fitting[format].includes(content)) {
    throw new Fault('FORMAT_MISMATCH', `The name says ${format}, the content looks like ${content}.`, {
      extra: { format, content },
    });
  }
  return { format, compression: gzip ? 'gzip' : 'none', tableName: tableNameOf(stem) };
}
