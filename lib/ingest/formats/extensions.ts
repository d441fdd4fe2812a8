// What the names of files say: a format, and maybe a compression behind it.
import { createHash } from 'node:crypto';
import type { Compression, FileFormat } from '../reading/types.ts';
import { compressionOfName } from './compression/kinds.ts';

const extensions: Readonly<Record<string, FileFormat>> = {
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  parquet: 'parquet',
  arrow: 'arrow',
  arrows: 'arrow',
  feather: 'arrow',
  ipc: 'arrow',
  avro: 'avro',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  xls: 'xls',
  ods: 'ods',
};

export interface Named {
  readonly compression: Compression;
  readonly stem: string;
  readonly extension: string;
  readonly format: FileFormat | undefined;
}

/** What the name of a file says of it. */
export function splitName(name: string): Named {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const { compression, inner } = compressionOfName(base);
  const dot = inner.lastIndexOf('.');
  const extension = dot < 0 ? '' : inner.slice(dot + 1).toLowerCase();
  const format = Object.hasOwn(extensions, extension) ? extensions[extension] : undefined;
  return { compression, stem: dot < 0 ? inner : inner.slice(0, dot), extension, format };
}

const TABLE_NAME_CHARACTERS = 128;
const DIGEST_CHARACTERS = 8;
/** Latin letters that are no other letter with an accent. */
const latin: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L' },
  ...{ đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', þ: 'th', Þ: 'TH', ı: 'i' },
};
/** What an identifier has no letter for, and what a name is more than punctuated with. */
const foreign = /[^\p{ASCII}\p{P}\p{Z}\p{C}]/u;

/**
 * An identifier from a file name without its extensions: never empty, no leading digit, at most 128 characters. Accents are left out. A name in
 * letters that an identifier does not have ends with a digest of it: two such files are no more one table than any others.
 */
export function tableNameOf(stem: string): string {
  const bare = stem
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\P{ASCII}/gu, (letter) => latin[letter] ?? letter);
  const plain = bare.replace(/[^A-Za-z0-9_]/gu, '_');
  const named = /^[A-Za-z_]/.test(plain) ? plain : `t_${plain}`;
  if (!foreign.test(bare)) return named.slice(0, TABLE_NAME_CHARACTERS);
  const digest = createHash('sha256')
    .update(stem.normalize('NFC').toLowerCase())
    .digest('hex')
    .slice(0, DIGEST_CHARACTERS);
  return `${named.slice(0, TABLE_NAME_CHARACTERS - DIGEST_CHARACTERS - 1)}_${digest}`;
}
