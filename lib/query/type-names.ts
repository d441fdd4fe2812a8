// Names of result columns and their types, as SQL writes them.
import {
  DuckDBArrayType,
  DuckDBListType,
  DuckDBMapType,
  type DuckDBResult,
  DuckDBStructType,
  type DuckDBType,
  DuckDBUnionType,
} from '@duckdb/node-api';
import { Fault } from '../core/fault.ts';
import type { QueryColumn, QueryLimits } from './types.ts';

/** The columns of a result. Throws SQL_INVALID for structs whose fields have no name of their own. */
export const columnsOf = (result: DuckDBResult): QueryColumn[] =>
  result.columnNames().map((name, index) => ({ name, type: typeName(result.columnType(index)) }));

/** Throws RESULT_TOO_LARGE where names and types alone would fill an eighth of an answer, which `*` of `*` of `*` comes to. */
export function boundColumns(columns: readonly QueryColumn[], { resultBytes }: Pick<QueryLimits, 'resultBytes'>): void {
  if (Buffer.byteLength(JSON.stringify(columns)) > resultBytes / 8)
    throw new Fault('RESULT_TOO_LARGE', `The ${columns.length} columns are too many for an answer.`);
}

export function typeName(type: DuckDBType): string {
  // JSON is text under another name; inside nested types too.
  if (type.alias !== undefined) return type.alias;
  if (type instanceof DuckDBListType) return `${typeName(type.valueType)}[]`;
  if (type instanceof DuckDBArrayType) return `${typeName(type.valueType)}[${type.length}]`;
  if (type instanceof DuckDBMapType) return `MAP(${typeName(type.keyType)}, ${typeName(type.valueType)})`;
  if (type instanceof DuckDBStructType) return `STRUCT(${fieldNames(type.entryNames, type.entryTypes)})`;
  if (type instanceof DuckDBUnionType) return `UNION(${fieldNames(type.memberTags, type.memberTypes)})`;
  return type.toString();
}

function fieldNames(names: readonly string[], types: readonly DuckDBType[]): string {
  // Fields are kept in an object by name: a nameless second field would replace the first.
  if (names.includes('')) {
    throw new Fault('SQL_INVALID', "Name the fields of the result's structs: {'a': …} in place of row(…).");
  }
  return names
    .map((name, index) => `"${name.replaceAll('"', '""')}" ${typeName(types[index] as DuckDBType)}`)
    .join(', ');
}
