import { describe, expect, it, vi } from 'vitest';
import { emptyIndex } from '../../../../lib/ingest/search/index-file.ts';
import { patched } from '../../../../lib/ingest/search/index-patch.ts';
import { readIndex } from '../../../../lib/ingest/search/index-read.ts';
import { anyRoom, aTable, changedIndex, indexOf, tableIdOf } from '../../../support/search-index.ts';

/** So many tables with words of their own, and some that all have. */
const tables = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    aTable(at, `orders ${at}`, {
      total: { description: `what it comes to, in table${at}`, samples: [`v${at}a`, `v${at}b`] },
      [`own${at}`]: {},
    }),
  );

describe('a patch', () => {
  it('reads of other tables nothing but their cards, and of words those that the table has', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const stringify = vi.spyOn(JSON, 'stringify');
    const linesOf = (count: number) => {
      const { bytes } = indexOf(...tables(count)).lines;
      parse.mockClear();
      const index = readIndex(bytes);
      const opening = parse.mock.calls.length;
      stringify.mockClear();
      const { changed } = patched(index, [[tableIdOf(0), aTable(0, 'invoices', { total: {} })]], anyRoom);
      return { opening, patching: parse.mock.calls.length - opening, writing: stringify.mock.calls.length, changed };
    };
    // The first time schemas are compiled, which writes JSON too.
    linesOf(1);
    const [few, many] = [linesOf(10), linesOf(400)];
    vi.restoreAllMocks();
    expect(many).toEqual({ ...few, opening: few.opening + 390 });
  });

  it('of more than is put in at once is the one that is made table by table', () => {
    // A little more than half of a step each.
    const long = (at: number) => {
      const columns = Array.from({ length: 2200 }, (_, n) => [`c${n % 7}x${n}`, { description: '.'.repeat(1000) }]);
      return aTable(at, `t${at}`, Object.fromEntries(columns) as Record<string, object>);
    };
    const all = [1, 2, 3, 1].map(long).map((each) => [each.table, each] as const);
    const one = all.reduce((index, each) => changedIndex(index, [each]), emptyIndex());
    const { bytes, counts } = patched(changedIndex(emptyIndex(), all.slice(0, 1)), all.slice(1), anyRoom);
    expect(Buffer.compare(bytes, one.lines.bytes)).toBe(0);
    expect(counts).toEqual({ tables: 3, entries: 3 * 2201, leftOut: 0 });
  });

  it('gives the room of what goes to what comes', () => {
    const long = { description: '.'.repeat(1000) };
    const index = indexOf(aTable(1, 'a', {}, long), aTable(2, 'b', {}, long));
    const room = { entries: 2, bytes: index.lines.bytes.length + 100 };
    const changes = [
      [tableIdOf(1), undefined],
      [tableIdOf(3), aTable(3, 'c', {}, long)],
      [tableIdOf(2), aTable(2, 'd', {}, long)],
    ] as const;
    expect(patched(index, changes, room)).toMatchObject({ changed: 3, counts: { tables: 2, entries: 2, leftOut: 0 } });
    const full = patched(index, [[tableIdOf(3), aTable(3, 'c', {}, long)]], { ...room, entries: 9 });
    expect(full.counts).toEqual({ tables: 3, entries: 2, leftOut: 1 });
  });
});
