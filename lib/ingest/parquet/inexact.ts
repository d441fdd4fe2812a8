// Parquet has values that no type of DuckDB holds: it cuts nanoseconds of points in time, and makes DOUBLE of decimals of more than 38 digits.
// A footer that calls such a column something else leads DuckDB to what is stored, byte by byte.
import type { Engine } from '../engine/engine.ts';
import { literal } from '../engine/sql.ts';
import { type Footer } from './footer.ts';
import {
  chunkFields as chunk,
  elementFields as element,
  fileFields as file,
  groupFields,
  metadataFields as metadata,
} from './fields.ts';
import { fieldsAt, itemsAt, readStruct, type Span, type Struct, type Value, writeStruct } from './thrift.ts';

/** What DuckDB would not read exactly. `int96`: a day and nanoseconds in it. */
export type Inexact =
  | { readonly kind: 'nanoseconds' }
  | { readonly kind: 'int96' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number };

/** By the place among the leaves of the schema; `count`: how many leaves there are. */
export interface InexactLeaves {
  readonly leaves: ReadonlyMap<number, Inexact>;
  readonly count: number;
}

const DECIMAL_DIGITS = 38;

function inexact(row: Readonly<Record<string, unknown>>): Inexact | undefined {
  const logical = typeof row['logical_type'] === 'string' ? row['logical_type'] : '';
  const [precision, scale] = [Number(row['precision'] ?? 0), Number(row['scale'] ?? 0)];
  if (row['type'] === 'INT96') return { kind: 'int96' };
  if (/^Timestamp.*UTC=1.*NanoSeconds/i.test(logical)) return { kind: 'nanoseconds' };
  const isDecimal = row['converted_type'] === 'DECIMAL' || logical.startsWith('Decimal');
  return isDecimal && precision > DECIMAL_DIGITS ? { kind: 'decimal', precision, scale } : undefined;
}

export async function inexactLeaves(engine: Engine, path: string): Promise<InexactLeaves> {
  const rows = await engine.rows(
    `SELECT type, converted_type, logical_type, precision, scale FROM parquet_schema(${literal(path)})
     WHERE coalesce(num_children, 0) = 0`,
  );
  const found = rows.map((row, leaf) => [leaf, inexact(row)] as const);
  return {
    leaves: new Map(found.filter((each): each is [number, Inexact] => each[1] !== undefined)),
    count: rows.length,
  };
}

/** Numbers of the fields of logical types, of types on the wire, and of types of Parquet. */
const logical = { timestamp: 8, isUtc: 1 } as const;
const [FALSE, I32] = [2, 5];
const [FIXED, INT96_BYTES, INTERVAL] = [7n, 12n, 21n];

const without = (struct: Struct, fields: readonly number[]): Map<number, Value> =>
  new Map([...struct].filter(([field]) => !fields.includes(field)));

const within = (struct: Struct, field: number, change: (inner: Struct) => Struct): Struct => {
  const value = struct.get(field);
  if (!(value?.value instanceof Map)) return struct;
  return new Map(struct).set(field, { ...value, value: change(value.value as Struct) });
};

/** In the order of their numbers, as they are written. */
const ordered = (struct: Struct): Struct => new Map([...struct].sort(([one], [other]) => one - other));

function plainElement(struct: Struct, { kind }: Inexact): Struct {
  if (kind === 'nanoseconds')
    return within(struct, element.logical, (type) =>
      within(type, logical.timestamp, (stamp) => new Map(stamp).set(logical.isUtc, { type: FALSE, value: undefined })),
    );
  const bare = without(struct, [element.converted, element.scale, element.precision, element.logical]);
  if (kind === 'decimal') return bare;
  // Three numbers of 32 bits, as an interval has them.
  const changes = [
    [element.type, FIXED],
    [element.width, INT96_BYTES],
    [element.converted, INTERVAL],
  ] as const;
  return ordered(new Map([...bare, ...changes.map(([field, value]) => [field, { type: I32, value }] as const)]));
}

/** Its statistics are of values of the type that it had. */
function plainChunk(struct: Struct, { kind }: Inexact): Struct {
  const bare = without(struct, [chunk.columnIndex, chunk.columnIndexLength]);
  return within(bare, chunk.metadata, (inner) => {
    const kept = without(inner, [metadata.statistics]);
    return kind === 'int96' ? kept.set(metadata.type, { type: I32, value: FIXED }) : kept;
  });
}

/** The structs at some places, each as `change` makes it. */
function* changedAt(
  bytes: Uint8Array,
  spans: readonly Span[],
  leaves: ReadonlyMap<number, Inexact>,
  change: (struct: Struct, leaf: Inexact) => Struct,
): Generator<Span & { readonly by: Buffer }> {
  for (const [place, leaf] of leaves) {
    const span = spans[place];
    if (span === undefined) throw new TypeError('the footer has fewer columns than its schema');
    const struct = readStruct(bytes.subarray(span.start, span.end));
    yield { ...span, by: writeStruct(change(struct, leaf)) };
  }
}

const isLeaf = (bytes: Uint8Array, { start }: Span): boolean => {
  const children = fieldsAt(bytes, start).get(element.children);
  return children === undefined || bytes[children.start] === 0;
};

const listAt = (bytes: Uint8Array, field: Span | undefined): Span[] =>
  field === undefined ? [] : itemsAt(bytes, field.start);

/** A footer by which DuckDB reads nanoseconds without a zone, the numbers of INT96 as an interval, and the bytes of long decimals. Throws a TypeError. */
export function plainFooter({ bytes, start }: Footer, { leaves, count }: InexactLeaves): Footer {
  const fields = fieldsAt(bytes, 0);
  const schema = listAt(bytes, fields.get(file.schema)).filter((span) => isLeaf(bytes, span));
  if (schema.length !== count) throw new TypeError('the footer has another schema');
  const groups = listAt(bytes, fields.get(file.rowGroups));
  const edits = [
    ...changedAt(bytes, schema, leaves, plainElement),
    ...groups.flatMap((group) => {
      const chunks = listAt(bytes, fieldsAt(bytes, group.start).get(groupFields.columns));
      return [...changedAt(bytes, chunks, leaves, plainChunk)];
    }),
  ].sort((one, other) => one.start - other.start);
  let at = 0;
  const pieces = edits.flatMap((edit) => {
    const before = bytes.subarray(at, edit.start);
    at = edit.end;
    return [before, edit.by];
  });
  return { bytes: Buffer.concat([...pieces, bytes.subarray(at)]), start };
}
