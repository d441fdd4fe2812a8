// Objects that an earlier release wrote, or that are not whole.
import { expect, it } from 'vitest';
import { readIndex } from '../../../../lib/ingest/search/index-read.ts';
import { anyRoom, aTable, indexOf, tableIdOf } from '../../../support/search-index.ts';
import { patched } from '../../../../lib/ingest/search/index-patch.ts';

const first =
  `{"v":1,"words":1,"tables":[{"dataset":"ds_00000000000000000000000001","table":"tbl_00000000000000000000000001","name":"orders",
"manifest":"m1","said":"s","columns":[{"name":"customerId","type":"BIGINT"},{"name":"mail","type":"VARCHAR","semanticType":"email",
"samples":["a@b.example"]}]}],"text":{"documentCount":3,"nextId":3,"documentIds":{"0":"tbl_00000000000000000000000001",
"1":"tbl_00000000000000000000000001#0","2":"tbl_00000000000000000000000001#1"},"fieldIds":{"name":0,"table":1,"synonyms":2,
"semanticType":3,"description":4,"samples":5},"fieldLength":{"0":[1,0,0,0,0,0],"1":[3,1,0,0,0,0],"2":[1,1,0,1,0,3]},
"averageFieldLength":[1.6666666666666667,0.6666666666666666,0,0.3333333333333333,0,1],"storedFields":{},"dirtCount":0,
"index":[["example",{"5":{"2":1}}],["email",{"3":{"2":1}}],["b",{"5":{"2":1}}],["a",{"5":{"2":1}}],["mail",{"0":{"2":1}}],
["id",{"0":{"1":1}}],["customerid",{"0":{"1":1}}],["customer",{"0":{"1":1}}],["orders",{"0":{"0":1},"1":{"1":1,"2":1}}]],
"serializationVersion":2}}`.replaceAll('\n', '');

const { columns, ...orders } = aTable(1, 'orders', {
  customerId: {},
  mail: { semanticType: 'email', samples: ['a@b.example'] },
});
const typed = {
  ...orders,
  said: 's',
  columns: columns.map((each, at) => (at === 0 ? { ...each, type: 'BIGINT' } : each)),
};

/** The release before wrote it on one line, with the entries and the library's own index. */
const firstVersion = Buffer.from(first);

it('an index of the first version is read, and is the one that is made of its tables', () => {
  const read = readIndex(firstVersion);
  expect(read.tableAt(tableIdOf(1))).toEqual(typed);
  expect(read.lines.bytes.toString()).toBe(indexOf(typed).lines.bytes.toString());
  expect(read.text.search('custmer', () => true).map(({ id }) => id)).toEqual([`${tableIdOf(1)}#0`]);
  expect(patched(read, [[tableIdOf(1), undefined]], anyRoom).counts).toEqual({ tables: 0, entries: 0, leftOut: 0 });
});

it('an index whose words were made otherwise is made anew from its entries', () => {
  const { bytes } = indexOf(typed).lines;
  const other = bytes.toString().replace('"words":2', '"words":1').replace('["customer",', '["customrr",');
  expect(readIndex(Buffer.from(other)).lines.bytes.toString()).toBe(bytes.toString());
});

it.each([
  ['is cut short', (text: string) => text.slice(0, -10)],
  ['is cut short at the end of a line', (text: string) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)],
  ['has more than its lines', (text: string) => `${text}x`],
  ['is of a later version', (text: string) => text.replace('"v":2', '"v":3')],
  ['is empty', () => ''],
  ['is something else', () => 'a\nb\n'],
])('what %s is no index', (_, spoil) => {
  const text = indexOf(typed).lines.bytes.toString();
  expect(() => readIndex(Buffer.from(spoil(text)))).toThrow();
});
