// The formats that rows are answered in, and how those that are text write a value. Every format says the same of a value
// as values.ts does for JSON, so that nothing depends on which was asked for.
import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { Fault } from '../core/fault.ts';
import type { FileFormat, QueryColumn } from './types.ts';
import { toJson } from './values.ts';

/** A text format: what comes before the rows, a row as one piece of text, and what comes after them. */
export interface TextFormat {
  head(columns: readonly QueryColumn[]): string;
  readonly cell: (value: DuckDBValue, type: DuckDBType) => string;
  /** `first` tells the first row from the others. */
  row(cells: readonly string[], columns: readonly QueryColumn[], first: boolean): string;
  tail(rowCount: number, truncated: boolean): string;
}

const jsonCell: TextFormat['cell'] = (value, type) => JSON.stringify(toJson(value, type));

/** The object that the route answers by itself. */
const json: TextFormat = {
  head: (columns) => `{"columns":${JSON.stringify(columns)},"rows":[`,
  cell: jsonCell,
  row: (cells, _columns, first) => `${first ? '\n' : ',\n'}[${cells.join(',')}]`,
  tail: (rowCount, truncated) => `\n],"rowCount":${rowCount},"truncated":${truncated}}\n`,
};

/** What pages are read from. */
const rows: TextFormat = {
  head: (columns) => `${JSON.stringify(columns)}\n`,
  cell: jsonCell,
  row: (cells) => `[${cells.join(',')}]\n`,
  tail: () => 'end\n',
};

/** An object a line, its fields in the order of the columns. */
const ndjson: TextFormat = {
  head: (columns) => {
    named(columns);
    return '';
  },
  cell: jsonCell,
  row: (cells, columns) =>
    `{${cells.map((cell, index) => `${JSON.stringify(columns[index]?.name)}:${cell}`).join(',')}}\n`,
  tail: () => '',
};

/** RFC 4180. NULL is an empty field without quotes, an empty text one with them; nested values and JSON are JSON text. */
const csv: TextFormat = {
  head: (columns) => `${columns.map(({ name }) => quotedIfNeeded(name)).join(',')}\r\n`,
  cell: (value, type) => {
    const text = textOf(value, type);
    return text === null ? '' : quotedIfNeeded(text);
  },
  row: (cells) => `${cells.join(',')}\r\n`,
  tail: () => '',
};

/** A value as text, JSON and nested values as JSON text; null for NULL. */
export function textOf(value: DuckDBValue, type: DuckDBType): string | null {
  if (value === null || (typeof value === 'string' && type.alias === 'JSON')) return value;
  const shown = toJson(value, type);
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
}

const quotedIfNeeded = (text: string): string =>
  text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

export const textFormats: Readonly<Partial<Record<FileFormat, TextFormat>>> = { json, rows, ndjson, csv };

/** Throws SQL_INVALID where two columns have one name, which a format of named fields cannot say. */
export function named(columns: readonly QueryColumn[], key = (name: string): string => name): void {
  const seen = new Set<string>();
  for (const { name } of columns) {
    if (seen.has(key(name)))
      throw new Fault(
        'SQL_INVALID',
        `Two columns are called ${name}: name them apart with AS, or ask for json or csv.`,
      );
    seen.add(key(name));
  }
}
