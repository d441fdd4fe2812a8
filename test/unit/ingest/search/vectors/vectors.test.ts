import { describe, expect, it } from 'vitest';
import { seededChance } from '../../../../../lib/core/chance.ts';
import type { DatasetId, TableId } from '../../../../../lib/core/ids.ts';
import { type Entry, entriesOf, tableEntries } from '../../../../../lib/ingest/search/entries.ts';
import { hashOf, textOf } from '../../../../../lib/ingest/search/vectors/entry-text.ts';
import { fuse } from '../../../../../lib/ingest/search/vectors/fuse.ts';
import { align, nearest } from '../../../../../lib/ingest/search/vectors/nearest.ts';
import { lengthOf, packed, product } from '../../../../../lib/ingest/search/vectors/vector.ts';
import { readVectors, vectorAt, vectorBytes } from '../../../../../lib/ingest/search/vectors/vector-file.ts';
import { indexOf } from '../../../../support/search-index.ts';

const model = { model: 'm', dimensions: 256 };
const chance = seededChance(5);
const vector = (dimensions = 256) => Array.from({ length: dimensions }, () => chance.next() - 0.5);

const table = tableEntries({
  ...{ dataset: 'ds_00000000000000000000000001' as unknown as DatasetId, manifest: 'm' },
  ...{ table: 'tbl_00000000000000000000000001' as unknown as TableId, name: 'ordersEU' },
  description: 'What was sold.',
  columns: [
    { name: 'customerID', type: 'VARCHAR', semanticType: 'tax_id', synonyms: ['client'], samples: ['Oslo'] },
    { name: 'total_amount', type: 'DECIMAL(9,2)', description: 'What is owed.' },
    { name: '顧客名', type: 'VARCHAR' },
  ],
});
const entries = entriesOf(table);

describe('a vector in bytes', () => {
  it('keeps the cosine of two to a hundredth', () => {
    for (let turn = 0; turn < 100; turn++) {
      const [one, other] = [vector(), vector()];
      const mixed = one.map((each, at) => each + (other[at] ?? 0) * (turn / 25));
      const dot = one.reduce((sum, each, at) => sum + each * (mixed[at] ?? 0), 0);
      const exact = dot / (Math.hypot(...one) * Math.hypot(...mixed));
      const [a, b] = [packed(one), packed(mixed)];
      expect(product(a, b, 0) / (lengthOf(a, 0, 256) * lengthOf(b, 0, 256))).toBeCloseTo(exact, 2);
    }
  });

  it('of no direction is none', () => {
    expect([...packed([0, 0])]).toEqual([0, 0]);
  });
});

describe('a version of vectors', () => {
  it('has each vector by the hash of its text after it was written and read', () => {
    const vectors = new Map(['a', 'b', 'c'].map((text) => [hashOf(model, text), packed(vector())]));
    // As a store gives it: a view into something larger.
    const bytes = Buffer.concat([Buffer.alloc(3), vectorBytes(model, vectors)]).subarray(3);
    const set = readVectors(bytes);
    expect([set.model, set.dimensions, set.rows.size]).toEqual(['m', 256, 3]);
    for (const [hash, kept] of vectors) {
      const row = set.rows.get(hash) ?? -1;
      expect([...vectorAt(set, row)]).toEqual([...kept]);
      expect(set.lengths[row]).toBeCloseTo(lengthOf(kept, 0, 256), 2);
    }
  });

  it('that is cut short, or is something else, is not read', () => {
    const bytes = vectorBytes(model, new Map([[hashOf(model, 'a'), packed(vector())]]));
    expect(() => readVectors(bytes.subarray(0, bytes.length - 1))).toThrow();
    expect(() => readVectors(Buffer.from('{"v":2}\n'))).toThrow();
    expect(() => readVectors(Buffer.from(''))).toThrow();
  });
});

describe('the text of an entry', () => {
  it('is its words as prose has them, and no sample', () => {
    expect(entries.map(textOf)).toEqual([
      'orders EU (table). What was sold.. customer ID, total amount, 顧客名',
      'customer ID (column of orders EU). tax id. client',
      'total amount (column of orders EU). What is owed.',
      '顧客名 (column of orders EU)',
    ]);
  });

  it('is the same where only what was measured differs', () => {
    const described = (description: string) =>
      textOf(entriesOf(tableEntries({ ...table, description, columns: [] }))[0] as Entry);
    const first = described('An amount (Q1 price). From 2025-01-10 00:00:00 to 1,204.50. 12.5 % have no value.');
    expect(described('An amount (Q1 price). From 2026-02-11 10:20:30 to 7. 0.1 % have no value.')).toBe(first);
    expect(first).toContain('An amount (Q1 price). From to % have no value.');
  });

  it('is cut where a model would not read on', () => {
    const long = tableEntries({ ...table, description: '𝒳'.repeat(2000), columns: [] });
    const text = textOf(entriesOf(long)[0] as Entry);
    expect(text.length).toBeLessThanOrEqual(1500);
    expect(text.isWellFormed()).toBe(true);
  });

  it('has another hash for another text, model or number of dimensions', () => {
    const hashes = [hashOf(model, 'a'), hashOf(model, 'b'), hashOf({ ...model, model: 'n' }, 'a')];
    const all = new Set([...hashes, hashOf({ ...model, dimensions: 512 }, 'a'), hashOf({ ...model }, 'a')]);
    expect(all.size).toBe(4);
  });
});

describe('the nearest', () => {
  const index = indexOf(table);
  const about = vector();
  const near = about.map((each) => each + (chance.next() - 0.5) * 0.5);
  const given = (texts: readonly (readonly [Entry, number[]])[]) =>
    readVectors(
      vectorBytes(model, new Map(texts.map(([entry, each]) => [hashOf(model, textOf(entry)), packed(each)]))),
    );
  const [ofTable, customer, amount, name] = entries as [Entry, Entry, Entry, Entry];

  it('come first, far ones not at all, and those that do not pass neither', () => {
    const set = given([
      [ofTable, about.map((each) => -each)],
      [customer, near],
      [amount, vector()],
      [name, about],
    ]);
    const all = align(index, set);
    expect(all.complete).toBe(true);
    expect(nearest(all, set, packed(about), () => true)).toEqual([name.id, customer.id]);
    expect(nearest(all, set, packed(about), (id) => id !== name.id)).toEqual([customer.id]);
  });

  it('are of those that have a vector, and whether all have one is known', () => {
    const set = given([[amount, about]]);
    const all = align(index, set);
    expect(all.complete).toBe(false);
    expect(nearest(all, set, packed(about), () => true)).toEqual([amount.id]);
    expect(nearest(all, set, packed(about.map(() => 0)), () => true)).toEqual([]);
  });
});

describe('fused rankings', () => {
  it('put first what both have near the top', () => {
    const order = fuse([
      ['a', 'b', 'c', 'd'],
      ['c', 'b', 'e'],
    ]).map(({ id }) => id);
    expect(order).toEqual(['c', 'b', 'a', 'e', 'd']);
  });

  it('are the one there is where the other is empty, and of two equals take the first ranking’s', () => {
    expect(fuse([['a', 'b'], []]).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(fuse([['a'], ['b']])).toEqual([
      { id: 'a', score: 1 / 61 },
      { id: 'b', score: 1 / 61 },
    ]);
  });
});
