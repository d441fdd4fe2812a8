// The schema of an Avro file, its names resolved. Types that contain themselves have no place in a table.
import { Fault } from '../../core/fault.ts';
import { damaged } from './cursor.ts';

export type Primitive = 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'bytes' | 'string';

/** What a type says of its values beyond how they are written. */
export interface Logical {
  readonly logical?: string | undefined;
  readonly precision?: number | undefined;
  readonly scale?: number | undefined;
}

export interface AvroField {
  readonly name: string;
  readonly type: AvroType;
}

export type AvroType =
  | ({ readonly kind: Primitive } & Logical)
  | ({ readonly kind: 'fixed'; readonly size: number } & Logical)
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | { readonly kind: 'array' | 'map'; readonly of: AvroType }
  | { readonly kind: 'record'; readonly fields: readonly AvroField[] }
  /** Each branch under the name of its type. */
  | { readonly kind: 'union'; readonly branches: readonly AvroField[] };

const MAX_DEPTH = 64;
const MAX_TYPES = 100_000;
const MAX_FIXED_BYTES = 2 ** 24;

const unsupported = (what: string): Fault => new Fault('UNSUPPORTED_SCHEMA', `Avro: ${what}`);

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const primitives: ReadonlySet<string> = new Set<Primitive>([
  'null',
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'bytes',
  'string',
]);

interface Context {
  readonly namespace: string;
  readonly depth: number;
  /** Named types that were met, by full name. */
  readonly known: Map<string, Json>;
  /** Those that are being resolved. */
  readonly open: ReadonlySet<string>;
  readonly seen: { count: number };
}

const text = (json: Json, key: string): string => {
  const value = json[key];
  if (typeof value !== 'string') throw damaged(`the schema lacks the text "${key}".`);
  return value;
};

const list = (json: Json, key: string): readonly unknown[] => {
  const value = json[key];
  if (!Array.isArray(value)) throw damaged(`the schema lacks the list "${key}".`);
  return value;
};

/** A name with its namespace; that of the enclosing type by default. */
function fullName(name: string, namespace: string): string {
  return name.includes('.') || namespace === '' ? name : `${namespace}.${name}`;
}

function logicalOf(json: Json): Logical {
  const { logicalType, precision, scale } = json;
  return {
    logical: typeof logicalType === 'string' ? logicalType : undefined,
    precision: Number.isInteger(precision) ? (precision as number) : undefined,
    scale: Number.isInteger(scale) ? (scale as number) : undefined,
  };
}

function byName(name: string, context: Context): AvroType {
  if (primitives.has(name)) return { kind: name as Primitive };
  const full = context.known.has(fullName(name, context.namespace)) ? fullName(name, context.namespace) : name;
  const found = context.known.get(full);
  if (found === undefined)
    throw damaged(`the schema names a type ${JSON.stringify(name.slice(0, 100))} that it does not hold.`);
  if (context.open.has(full))
    throw unsupported(`the type ${JSON.stringify(full.slice(0, 100))} contains itself; a table has no column for it.`);
  return typeOf(found, { ...context, namespace: full.split('.').slice(0, -1).join('.') });
}

/** A named type is known from where it begins. */
function named(json: Json, kind: string, context: Context): AvroType {
  const own = typeof json['namespace'] === 'string' ? json['namespace'] : context.namespace;
  const full = fullName(text(json, 'name'), own);
  const namespace = full.split('.').slice(0, -1).join('.');
  context.known.set(full, json);
  if (kind === 'enum') return { kind: 'enum', symbols: list(json, 'symbols').map(String) };
  if (kind === 'fixed') return { kind: 'fixed', size: sizeOf(json), ...logicalOf(json) };
  const inner = { ...context, namespace, open: new Set([...context.open, full]) };
  const fields = list(json, 'fields').map((field): AvroField => {
    if (!isObject(field)) throw damaged('a field of the schema is no object.');
    return { name: text(field, 'name'), type: typeOf(field['type'], inner) };
  });
  return { kind: 'record', fields };
}

function sizeOf(json: Json): number {
  const size = json['size'];
  if (typeof size === 'number' && Number.isInteger(size) && size >= 0 && size <= MAX_FIXED_BYTES) return size;
  throw damaged('a type of a fixed size has none that can be.');
}

const shortName = (schema: unknown): string => {
  if (typeof schema === 'string') return schema.slice(schema.lastIndexOf('.') + 1);
  if (!isObject(schema)) return 'union';
  return shortName(typeof schema['name'] === 'string' ? schema['name'] : schema['type']);
};

function typeOf(schema: unknown, before: Context): AvroType {
  const context = { ...before, depth: before.depth + 1 };
  if (context.depth > MAX_DEPTH || ++context.seen.count > MAX_TYPES)
    throw unsupported(`types are nested deeper than ${MAX_DEPTH} levels, or are more than ${MAX_TYPES}.`);
  if (typeof schema === 'string') return byName(schema, context);
  if (Array.isArray(schema)) {
    if (schema.length === 0) throw damaged('a union of the schema has no types.');
    return { kind: 'union', branches: schema.map((one) => ({ name: shortName(one), type: typeOf(one, context) })) };
  }
  if (!isObject(schema)) throw damaged('a type of the schema is no type.');
  const { type } = schema;
  if (type === 'array') return { kind: 'array', of: typeOf(schema['items'], context) };
  if (type === 'map') return { kind: 'map', of: typeOf(schema['values'], context) };
  if (type === 'record' || type === 'error' || type === 'enum' || type === 'fixed') return named(schema, type, context);
  if (typeof type === 'string' && primitives.has(type)) return { kind: type as Primitive, ...logicalOf(schema) };
  return typeOf(type, context);
}

/** Throws the Faults UNSUPPORTED_SCHEMA and PARSE_ERROR. */
export function schemaOf(json: string): AvroType {
  let schema: unknown;
  try {
    schema = JSON.parse(json);
  } catch (thrown) {
    throw damaged('the schema is no JSON.', thrown);
  }
  return typeOf(schema, { namespace: '', depth: 0, known: new Map(), open: new Set(), seen: { count: 0 } });
}
