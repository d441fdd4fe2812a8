// What the names of files say: a format, and maybe a compression behind it.
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

/** An identifier from a file name without its extensions: never empty, no leading digit, at most 128 characters. */
export function tableNameOf(stem: string): string {
  const plain = stem.replace(/[^A-Za-z0-9_]/gu, '_');
  const named = /^[A-Za-z_]/.test(plain) ? plain : `t_${plain}`;
  return named.slice(0, TABLE_NAME_CHARACTERS);
}
