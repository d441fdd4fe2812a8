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
