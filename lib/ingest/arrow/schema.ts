// The schema of an Arrow file: its fields, each with a type.
import { Fault } from '../../core/fault.ts';
import type { TimeUnit } from '../rows/leaves.ts';
import { damaged, type Table } from './flatbuffer.ts';

export type ArrowType =
  | { readonly kind: 'null' | 'bool' | 'struct' | 'map' | 'runs' }
  | { readonly kind: 'int'; readonly bits: number; readonly signed: boolean }
  | { readonly kind: 'float'; readonly bits: 16 | 32 | 64 }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number; readonly bits: number }
  | { readonly kind: 'date'; readonly unit: 'day' | 'millisecond' }
  | { readonly kind: 'time' | 'duration'; readonly unit: TimeUnit; readonly bits: number }
  | { readonly kind: 'timestamp'; readonly unit: TimeUnit; readonly zone: string | undefined }
  | { readonly kind: 'interval'; readonly unit: 'months' | 'days' | 'nanos' }
  /** Offsets of 32 or 64 bits; `view`: places and lengths instead. */
  | { readonly kind: 'text' | 'binary'; readonly offsets: 32 | 64 | 'view' }
  | { readonly kind: 'list'; readonly offsets: 32 | 64; readonly view: boolean }
  | { readonly kind: 'fixed binary'; readonly bytes: number }
  | { readonly kind: 'fixed list'; readonly length: number }
  | { readonly kind: 'union'; readonly mode: 'sparse' | 'dense'; readonly ids: readonly number[] };

export interface ArrowField {
  readonly name: string;
  readonly type: ArrowType;
  readonly children: readonly ArrowField[];
  /** Values stand in a dictionary of this id; rows hold their places in it. */
  readonly dictionary: { readonly id: number; readonly index: ArrowType } | undefined;
  /** Of an extension type. */
  readonly extension: string | undefined;
}

const MAX_DEPTH = 64;
const MAX_FIELDS = 100_000;
const MAX_LIST_LENGTH = 2 ** 24;

const unsupported = (what: string): Fault => new Fault('UNSUPPORTED_SCHEMA', `Arrow: ${what}`);

const timeUnits: readonly TimeUnit[] = ['second', 'millisecond', 'microsecond', 'nanosecond'];
const one = <T>(list: readonly T[], index: number, what: string): T => {
  const found = list[index];
  if (found === undefined) throw unsupported(`${what} ${index} is not known.`);
  return found;
};

function intOf(table: Table | undefined): ArrowType {
  const bits = table?.int(4, 0) ?? 32;
  if (![8, 16, 32, 64].includes(bits)) throw unsupported(`a whole number has ${bits} bits.`);
  return { kind: 'int', bits, signed: table?.flag(6) ?? true };
}

function decimalOf(table: Table): ArrowType {
  const [precision, scale, bits] = [table.int(4, 0), table.int(6, 0), table.int(8, 128)];
  if (precision < 1 || precision > 76 || Math.abs(scale) > 100 || ![32, 64, 128, 256].includes(bits))
    throw unsupported(`a decimal has ${precision} digits, the scale ${scale} and ${bits} bits.`);
  return { kind: 'decimal', precision, scale, bits };
}

function sized(value: number, most: number, what: string): number {
  if (value < 0 || value > most) throw unsupported(`${what} has the length ${value}.`);
  return value;
}

/** By the number of the type in Arrow's schema. */
const types: Readonly<Record<number, (table: Table) => ArrowType>> = {
  1: () => ({ kind: 'null' }),
  2: intOf,
  3: (table) => ({ kind: 'float', bits: one([16, 32, 64] as const, table.short(4, 0), 'the precision') }),
  4: () => ({ kind: 'binary', offsets: 32 }),
  5: () => ({ kind: 'text', offsets: 32 }),
  6: () => ({ kind: 'bool' }),
  7: decimalOf,
  8: (table) => ({ kind: 'date', unit: one(['day', 'millisecond'] as const, table.short(4, 1), 'the unit') }),
  9: (table) => ({ kind: 'time', unit: one(timeUnits, table.short(4, 1), 'the unit'), bits: table.int(6, 32) }),
  10: (table) => ({ kind: 'timestamp', unit: one(timeUnits, table.short(4, 0), 'the unit'), zone: table.text(6) }),
  11: (table) => ({ kind: 'interval', unit: one(['months', 'days', 'nanos'] as const, table.short(4, 0), 'the unit') }),
  12: () => ({ kind: 'list', offsets: 32, view: false }),
  13: () => ({ kind: 'struct' }),
  14: (table) => ({
    kind: 'union',
    mode: one(['sparse', 'dense'] as const, table.short(4, 0), 'the mode'),
    ids: table.items(6, 4, (view, at) => view.getInt32(at, true)),
  }),
  15: (table) => ({ kind: 'fixed binary', bytes: sized(table.int(4, 0), MAX_LIST_LENGTH, 'a value') }),
  16: (table) => ({ kind: 'fixed list', length: sized(table.int(4, 0), MAX_LIST_LENGTH, 'a list') }),
  17: () => ({ kind: 'map' }),
  18: (table) => ({ kind: 'duration', unit: one(timeUnits, table.short(4, 1), 'the unit'), bits: 64 }),
  19: () => ({ kind: 'binary', offsets: 64 }),
  20: () => ({ kind: 'text', offsets: 64 }),
  21: () => ({ kind: 'list', offsets: 64, view: false }),
  22: () => ({ kind: 'runs' }),
  23: () => ({ kind: 'binary', offsets: 'view' }),
  24: () => ({ kind: 'text', offsets: 'view' }),
  25: () => ({ kind: 'list', offsets: 32, view: true }),
  26: () => ({ kind: 'list', offsets: 64, view: true }),
};

/** How many children a type needs; undefined: any number. */
const childCounts: Readonly<Partial<Record<ArrowType['kind'], number | undefined>>> = {
  list: 1,
  'fixed list': 1,
  map: 1,
  runs: 2,
  struct: undefined,
  union: undefined,
};

function requireChildren({ name, type, children }: ArrowField): void {
  const wanted = type.kind in childCounts ? (childCounts[type.kind] ?? children.length) : 0;
  const entries = type.kind === 'map' ? children[0] : undefined;
  const pairs = type.kind !== 'map' || (entries?.type.kind === 'struct' && entries.children.length === 2);
  if (children.length === wanted && pairs && (type.kind !== 'union' || children.length > 0)) return;
  throw damaged(`the field ${JSON.stringify(name)} of the type ${type.kind} has ${children.length} children.`);
}

const extensionOf = (table: Table): string | undefined =>
  table
    .tables(16)
    .find((entry) => entry.text(4) === 'ARROW:extension:name')
    ?.text(6);

function fieldOf(table: Table, depth: number, seen: { count: number }): ArrowField {
  if (depth > MAX_DEPTH || ++seen.count > MAX_FIELDS)
    throw unsupported(`fields are nested deeper than ${MAX_DEPTH} levels, or are more than ${MAX_FIELDS}.`);
  const number = table.byte(8, 0);
  const make = types[number];
  const described = table.table(10);
  if (make === undefined || described === undefined) throw unsupported(`a column has the type ${number}.`);
  const dictionary = table.table(12);
  const field: ArrowField = {
    name: table.text(4) ?? '',
    type: make(described),
    children: table.tables(14).map((child) => fieldOf(child, depth + 1, seen)),
    dictionary: dictionary && { id: dictionary.long(4, 0), index: intOf(dictionary.table(6)) },
    extension: extensionOf(table),
  };
  requireChildren(field);
  return field;
}

/** Throws the Faults UNSUPPORTED_SCHEMA and PARSE_ERROR. */
export function schemaOf(table: Table): ArrowField[] {
  if (table.short(4, 0) !== 0) throw unsupported('its numbers are big-endian.');
  const seen = { count: 0 };
  return table.tables(6).map((field) => fieldOf(field, 0, seen));
}
