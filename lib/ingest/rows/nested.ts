// Nested values of binary formats as DuckDB's lists, structs and maps; in a column that is read as text, all of it is JSON.
import {
  DuckDBStructType,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  MAP,
  mapValue,
  structValue,
  VARCHAR,
} from '@duckdb/node-api';
import { nameColumns } from '../reading/names.ts';
import type { Mode, Reading } from './reading.ts';

const ELEMENT_BYTES = 8;
const json = (value: DuckDBValue): string => (value === null ? 'null' : String(value));

/** The mode of what lies inside a value of this mode. */
export const inside = (mode: Mode): Mode => (mode === 'typed' ? 'typed' : 'json');

export const listType = (item: DuckDBType, mode: Mode): DuckDBType => (mode === 'typed' ? LIST(item) : VARCHAR);

/** A list of `count` items. */
export function listOf(reading: Reading, mode: Mode, count: number, item: (at: number) => DuckDBValue): DuckDBValue {
  reading.spend(ELEMENT_BYTES * count);
  const items = Array.from({ length: count }, (_, at) => item(at));
  return mode === 'typed' ? listValue(items) : `[${items.map(json).join(',')}]`;
}

/** Names of fields that DuckDB can tell apart. */
export const fieldNames = (names: readonly string[]): string[] => nameColumns(names, names.length).names;

/** A struct without fields has no type of its own: it is text. */
export function structType(names: readonly string[], types: readonly DuckDBType[], mode: Mode): DuckDBType {
  if (mode !== 'typed' || names.length === 0) return VARCHAR;
  return new DuckDBStructType(names, types);
}

export function structOf(names: readonly string[], values: readonly DuckDBValue[], mode: Mode): DuckDBValue {
  if (mode === 'typed' && names.length > 0)
    return structValue(Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])));
  return `{${names.map((name, index) => `${JSON.stringify(name)}:${json(values[index] ?? null)}`).join(',')}}`;
}

export const mapType = (key: DuckDBType, value: DuckDBType, mode: Mode): DuckDBType =>
  mode === 'typed' ? MAP(key, value) : VARCHAR;

/** A map; one that repeats a key, or has none for a value, is no map to DuckDB. In JSON it is a list of pairs. */
export function mapOf(
  reading: Reading,
  mode: Mode,
  entries: readonly (readonly [DuckDBValue, DuckDBValue])[],
): DuckDBValue {
  if (mode !== 'typed') return `[${entries.map(([key, value]) => `[${json(key)},${json(value)}]`).join(',')}]`;
  const keys = new Set<unknown>(entries.map(([key]) => (typeof key === 'object' && key !== null ? String(key) : key)));
  const map = mapValue(entries.map(([key, value]) => ({ key, value })));
  return keys.size < entries.length || keys.has(null) ? reading.note(String(map)) : map;
}
