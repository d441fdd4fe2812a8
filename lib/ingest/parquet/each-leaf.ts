// SQL of a nested value with some of its leaves made anew, or asked a question each. Leaves are counted as Parquet does: in the order of the schema.
import { DuckDBArrayType, DuckDBListType, DuckDBMapType, DuckDBStructType, type DuckDBType } from '@duckdb/node-api';
import { identifier, literal } from '../engine/sql.ts';

/** SQL of a leaf, from that of its value; undefined where nothing is to be done with it. */
export type OfLeaf = (value: string, leaf: number) => string | undefined;

/** What nested types hold, each with the SQL that reaches it in an `item`, and is how many leaves. */
const inside = (type: DuckDBType): readonly DuckDBType[] => {
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) return [type.valueType];
  if (type instanceof DuckDBMapType) return [type.keyType, type.valueType];
  return type instanceof DuckDBStructType ? type.entryTypes : [];
};

const isNested = (type: DuckDBType): boolean =>
  [DuckDBListType, DuckDBArrayType, DuckDBMapType, DuckDBStructType].some((nested) => type instanceof nested);

export const leavesIn = (type: DuckDBType): number =>
  isNested(type) ? inside(type).reduce((sum, each) => sum + leavesIn(each), 0) : 1;

/** Whether a struct in it has a field that is called nothing. */
export const hasNamelessField = (type: DuckDBType): boolean =>
  (type instanceof DuckDBStructType && type.entryNames.includes('')) || inside(type).some(hasNamelessField);

/** The types inside with the place of the first leaf of each. */
function* placed(type: DuckDBType, first: number): Generator<{ readonly inner: DuckDBType; readonly from: number }> {
  let from = first;
  for (const inner of inside(type)) {
    yield { inner, from };
    from += leavesIn(inner);
  }
}

/** The value with its leaves as `of` makes them; undefined where it leaves all of them alone. `depth` names what lists go through. */
export function rebuilt(type: DuckDBType, value: string, first: number, of: OfLeaf, depth = 0): string | undefined {
  if (!isNested(type)) return of(value, first);
  const item = `item_${depth}`;
  const parts = [...placed(type, first)];
  const made = (each: (typeof parts)[number], reached: string) =>
    rebuilt(each.inner, reached, each.from, of, depth + 1);
  if (type instanceof DuckDBStructType) {
    const fields = parts.map((each, place) => {
      const name = type.entryNames[place] ?? '';
      const reached = `struct_extract(${value}, ${literal(name)})`;
      return { name, reached, made: made(each, reached) };
    });
    if (fields.every((field) => field.made === undefined)) return undefined;
    const pairs = fields.map((field) => `${identifier(field.name)} := ${field.made ?? field.reached}`);
    return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${pairs.join(', ')}) END`;
  }
  if (type instanceof DuckDBMapType) {
    const [key, held] = parts.map((each, place) => {
      const reached = `${item}.${place === 0 ? 'key' : 'value'}`;
      return { reached, made: made(each, reached) };
    });
    if (key?.made === undefined && held?.made === undefined) return undefined;
    const entry = `{'key': ${key?.made ?? key?.reached}, 'value': ${held?.made ?? held?.reached}}`;
    return `map_from_entries(list_transform(map_entries(${value}), lambda ${item}: ${entry}))`;
  }
  const [only] = parts;
  const element = only && made(only, item);
  return element && `list_transform(${value}, lambda ${item}: ${element})`;
}

/** What is asked: of leaves, and of maps wherever they stand. */
export interface Asked {
  readonly leaf?: OfLeaf;
  readonly map?: (value: string) => string;
}

/** Whether a leaf or a map is so, of those that are asked; undefined where none is. Never NULL. */
export function anyWithin(type: DuckDBType, value: string, first: number, of: Asked, depth = 0): string | undefined {
  if (!isNested(type)) {
    const asked = of.leaf?.(value, first);
    return asked && `coalesce(${asked}, false)`;
  }
  const item = `item_${depth}`;
  const answers = [...placed(type, first)].flatMap(({ inner, from }, place) => {
    if (type instanceof DuckDBStructType) {
      const reached = `struct_extract(${value}, ${literal(type.entryNames[place] ?? '')})`;
      return anyWithin(inner, reached, from, of, depth + 1) ?? [];
    }
    const list = type instanceof DuckDBMapType ? `map_${place === 0 ? 'keys' : 'values'}(${value})` : value;
    const asked = anyWithin(inner, item, from, of, depth + 1);
    return asked === undefined
      ? []
      : `coalesce(list_bool_or(list_transform(${list}, lambda ${item}: ${asked})), false)`;
  });
  if (type instanceof DuckDBMapType && of.map !== undefined) answers.push(`coalesce(${of.map(value)}, false)`);
  return answers.length === 0 ? undefined : `(${answers.join(' OR ')})`;
}
