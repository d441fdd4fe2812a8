// Parquet files with another footer, for what no writer at hand writes.
import { tailOf } from '../../../../lib/ingest/parquet/footer.ts';
import { chunkFields, fileFields, groupFields, metadataFields } from '../../../../lib/ingest/parquet/fields.ts';
import { type List, readStruct, type Struct, type Value, writeStruct } from '../../../../lib/ingest/parquet/thrift.ts';

const STRUCT = 12;
export const struct = (...fields: readonly (readonly [number, Value])[]): Value => ({
  type: STRUCT,
  value: new Map(fields),
});
export const i64 = (value: bigint): Value => ({ type: 6, value });

const changedItem = (list: Value | undefined, place: number, change: (item: Struct) => Struct): Value => {
  const { of, items } = list?.value as List;
  const changed = items.map((item, at) => (at === place ? { ...item, value: change(item.value as Struct) } : item));
  return { type: 9, value: { of, items: changed } };
};

export function withFooter(file: Buffer, change: (footer: Struct) => Struct): Buffer {
  const length = file.readUInt32LE(file.length - 8);
  const start = file.length - 8 - length;
  const footer = change(readStruct(file.subarray(start, start + length)));
  return Buffer.concat([file.subarray(0, start), tailOf(writeStruct(footer))]);
}

/** With other fields, in the order of their numbers; undefined takes one away. */
export const edited = (of: Struct, fields: Readonly<Record<number, Value | undefined>>): Struct =>
  new Map(
    [...new Map([...of, ...Object.entries(fields).map(([id, value]) => [Number(id), value] as const)])]
      .filter((field): field is [number, Value] => field[1] !== undefined)
      .sort(([one], [other]) => one - other),
  );

export const withGroup = (file: Buffer, group: number, change: (group: Struct) => Struct): Buffer =>
  withFooter(file, (footer) =>
    edited(footer, { [fileFields.rowGroups]: changedItem(footer.get(fileFields.rowGroups), group, change) }),
  );

export const withChunk = (file: Buffer, group: number, column: number, change: (chunk: Struct) => Struct): Buffer =>
  withGroup(file, group, (of) =>
    edited(of, { [groupFields.columns]: changedItem(of.get(groupFields.columns), column, change) }),
  );

export const withMetadata = (
  file: Buffer,
  group: number,
  column: number,
  change: (metadata: Struct) => Readonly<Record<number, Value | undefined>>,
): Buffer =>
  withChunk(file, group, column, (chunk) => {
    const metadata = chunk.get(chunkFields.metadata)?.value as Struct;
    return edited(chunk, { [chunkFields.metadata]: { type: STRUCT, value: edited(metadata, change(metadata)) } });
  });

export const numberOf = (of: Struct, field: number): bigint => of.get(field)?.value as bigint;
export { chunkFields, fileFields, groupFields, metadataFields };

const elementFields = { name: 4, logical: 10, stamp: 8, isUtc: 1 } as const;
const TRUE: Value = { type: 1, value: undefined };

/** With other elements of the schema. `places`: of columns, none of which is nested. */
const withElements = (file: Buffer, places: readonly number[], change: (element: Struct) => Struct): Buffer =>
  withFooter(file, (footer) => {
    const schema = places.reduce<Value | undefined>(
      (list, place) => changedItem(list, place + 1, change),
      footer.get(fileFields.schema),
    );
    return edited(footer, { [fileFields.schema]: schema });
  });

/** Has a column be called otherwise. */
export const withName = (file: Buffer, place: number, name: string): Buffer =>
  withElements(file, [place], (element) =>
    edited(element, { [elementFields.name]: { type: 8, value: Buffer.from(name) } }),
  );

/** Has times in nanoseconds be points in time, which DuckDB does not write. */
export const withZone = (file: Buffer, places: readonly number[]): Buffer =>
  withElements(file, places, (element) => {
    const stamp = (element.get(elementFields.logical)?.value as Struct).get(elementFields.stamp)?.value as Struct;
    const utc = { type: STRUCT, value: edited(stamp, { [elementFields.isUtc]: TRUE }) };
    return edited(element, { [elementFields.logical]: struct([elementFields.stamp, utc]) });
  });
