import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { breakingChanges, compareColumns, type Sketches } from '../../../../lib/ingest/drift/compare-columns.ts';
import { nameLikeness, sameWords } from '../../../../lib/ingest/drift/name-likeness.ts';
import { CERTAIN, chooseRenames, POSSIBLE } from '../../../../lib/ingest/drift/renames.ts';
import { snapshotHash } from '../../../../lib/ingest/drift/snapshot-hash.ts';
import { typeChangeOf } from '../../../../lib/ingest/drift/type-change.ts';
import { overlapOf, type Sketch, SKETCH_VALUES } from '../../../../lib/ingest/drift/value-overlap.ts';

const sketch = (values: number, start = 0, dense = false): Sketch => ({
  hashes: Array.from({ length: values }, (_, at) => BigInt(start + at)),
  until: 2n ** 64n,
  dense,
});
const column = (name: string, type = 'VARCHAR') => ({ name, type });
const table = (...columns: { name: string; type: string }[]) => ({ rowCount: 10, columns });
const sketches = (before: Record<string, Sketch>, after: Record<string, Sketch>): Sketches => ({
  before: new Map(Object.entries(before)),
  after: new Map(Object.entries(after)),
});

describe('the hash of a snapshot', () => {
  it('is SHA-256 of the names and types as JSON, in the order of the columns', () => {
    const [a, b] = [column('a', 'BIGINT'), column('b"', 'VARCHAR')];
    const expected = createHash('sha256').update('[["a","BIGINT"],["b\\"","VARCHAR"]]').digest('hex');
    expect(snapshotHash([a, b])).toBe(expected);
    expect(snapshotHash([b, a])).not.toBe(expected);
    expect(snapshotHash([a, column('b"', 'DATE')])).not.toBe(expected);
  });
});

describe('a change of type', () => {
  it.each([
    ['BIGINT', 'DECIMAL(18,2)', 'widening'],
    ['DECIMAL(18,2)', 'DECIMAL(38,4)', 'widening'],
    ['DECIMAL(38,0)', 'BIGINT', 'widening'],
    ['DATE', 'TIMESTAMP', 'widening'],
    ['FLOAT', 'DOUBLE', 'widening'],
    ['DECIMAL(18,2)', 'BIGINT', 'narrowing'],
    ['TIMESTAMP', 'DATE', 'narrowing'],
    ['BIGINT', 'VARCHAR', 'incompatible'],
    ['VARCHAR', 'BIGINT', 'incompatible'],
    ['DECIMAL(18,2)', 'DOUBLE', 'incompatible'],
    ['BOOLEAN', 'BIGINT', 'incompatible'],
    ['STRUCT(a BIGINT)', 'JSON', 'incompatible'],
  ])('from %s to %s is %s', (from, to, change) => {
    expect(typeChangeOf(from, to)).toBe(change);
  });

  it('of a column that held nothing is a widening, whatever the types', () => {
    const profile = {
      nulls: 10,
      nullFraction: 1,
      distinct: 0,
      distinctIsExact: true,
      min: null,
      max: null,
      topValues: [],
    };
    const before = { rowCount: 10, columns: [{ ...column('a'), profile }, column('b')] };
    const { typeChanged } = compareColumns(before, [column('a', 'BIGINT'), column('b', 'BIGINT')]);
    expect(typeChanged.map(({ column: name, change }) => [name, change])).toEqual([
      ['a', 'widening'],
      ['b', 'incompatible'],
    ]);
    expect(compareColumns({ ...before, rowCount: 0 }, [column('b', 'DATE')]).typeChanged[0]?.change).toBe('widening');
  });
});

describe('names', () => {
  it('are the same words whatever the case, accents and punctuation', () => {
    for (const [a, b] of [
      ['unitPrice', 'UNIT_PRICE'],
      ['Größe (cm)', 'groß̈e cm'],
      ['order id', 'OrderID'],
    ] as const)
      expect([a, b, sameWords(a, b)]).toEqual([a, b, true]);
    expect(sameWords('a', 'b')).toBe(false);
    expect(sameWords('!!', '??')).toBe(false);
  });

  it('are alike by letters, words and shortenings, and otherwise not', () => {
    expect(nameLikeness('custmer', 'customer')).toBeGreaterThan(0.7);
    expect(nameLikeness('price', 'unit_price')).toBeGreaterThanOrEqual(0.75);
    expect(nameLikeness('qty', 'quantity')).toBeGreaterThanOrEqual(0.6);
    expect(nameLikeness('price', 'city')).toBeLessThan(0.4);
    expect(nameLikeness('名前', '名前 ')).toBe(1);
    expect(nameLikeness('total', 'total total')).toBe(0.75);
  });

  it('that are texts are like themselves alone, and take no time', () => {
    const text = 'a'.repeat(300_000);
    expect([nameLikeness(text, text), nameLikeness(text, `${text}a`)]).toEqual([1, 0]);
    expect([sameWords(text, `${text}!`), nameLikeness(text, 'a')]).toEqual([false, 0]);
  });
});

describe('the overlap of two columns', () => {
  it('is a share of the one with fewer values, and says little of few values and of counters', () => {
    expect(overlapOf(sketch(100), sketch(50))).toEqual({ share: 1, weight: 1 });
    expect(overlapOf(sketch(100), sketch(100, 50))?.share).toBe(0.5);
    expect(overlapOf(sketch(2), sketch(2))?.weight).toBeLessThan(0.3);
    expect(overlapOf(sketch(100, 0, true), sketch(100, 0, true))?.weight).toBe(0.4);
    expect(overlapOf(sketch(0), sketch(5))).toBeUndefined();
  });

  it('looks no further than both sketches reach', () => {
    const full = { ...sketch(SKETCH_VALUES), until: BigInt(SKETCH_VALUES - 1) };
    const wide = sketch(SKETCH_VALUES - 24, 0);
    const more = { ...wide, hashes: [...wide.hashes, 5000n, 6000n, 7000n] };
    expect(overlapOf(full, more)?.share).toBe(1);
  });
});

describe('a removed and an added column', () => {
  it('with another spelling and the same values are one that is renamed', () => {
    const before = table(column('id', 'BIGINT'), column('Unit Price', 'BIGINT'));
    const values = sketches({ 'Unit Price': sketch(50) }, { unit_price_eur: sketch(50) });
    const changes = compareColumns(before, [column('id', 'BIGINT'), column('unit_price_eur', 'DECIMAL(18,2)')], values);
    expect(changes).toMatchObject({ added: [], removed: [], candidates: [] });
    expect(changes.renamed).toMatchObject([{ from: 'Unit Price', to: 'unit_price_eur' }]);
    expect(changes.renamed?.[0]?.reasons[0]).toBe('100 % of the values are the same');
    expect(changes.typeChanged).toEqual([
      { column: 'unit_price_eur', from: 'BIGINT', to: 'DECIMAL(18,2)', change: 'widening' },
    ]);
  });

  it('whose names differ by case only are one, even where no value is the same', () => {
    const changes = compareColumns(
      table(column('a'), column('Kunden-Nr')),
      [column('kundennr'), column('x'), column('y')],
      sketches({ 'Kunden-Nr': sketch(50) }, { kundennr: sketch(50, 900) }),
    );
    expect(changes.renamed).toMatchObject([{ from: 'Kunden-Nr', to: 'kundennr', score: CERTAIN }]);
  });

  it('with the same values and unlike names wait for a person, and count as removed and added', () => {
    const values = sketches({ price: sketch(50) }, { xyz: sketch(50) });
    const changes = compareColumns(table(column('price'), column('k')), [column('k'), column('xyz')], values);
    expect(changes.renamed).toEqual([]);
    expect(changes.candidates).toMatchObject([{ from: 'price', to: 'xyz' }]);
    expect(changes).toMatchObject({ removed: ['price'], added: ['xyz'] });
  });

  it('of counters with unlike names and the same small numbers are not taken for one', () => {
    const values = sketches({ age: sketch(90, 0, true) }, { floor: sketch(90, 0, true) });
    const { renamed, candidates } = compareColumns(table(column('age', 'BIGINT')), [column('floor', 'BIGINT')], values);
    expect([renamed, candidates]).toEqual([[], []]);
  });

  it('are not renamed where two columns are as likely', () => {
    const pair = (from: string, to: string, score: number) => ({ from, to, score, reasons: [] });
    const { renamed, candidates } = chooseRenames([pair('a', 'x', 0.95), pair('a', 'y', 0.9), pair('b', 'z', 0.85)]);
    expect(renamed).toMatchObject([{ from: 'b', to: 'z' }]);
    expect(candidates.map(({ to }) => to)).toEqual(['x', 'y']);
    expect(chooseRenames([pair('a', 'x', POSSIBLE - 0.01)])).toEqual({ renamed: [], candidates: [] });
  });

  it('are not looked at where a whole table has other columns', () => {
    const many = (stem: string) => Array.from({ length: 250 }, (_, at) => column(`${stem}${at}`));
    const changes = compareColumns(table(...many('a')), many('b'));
    expect([changes.removed.length, changes.added.length, changes.candidates]).toEqual([250, 250, []]);
  });
});

describe('what breaks queries', () => {
  it('are columns that are gone, have another name, or another sort of type', () => {
    const breaking = breakingChanges({
      added: ['n'],
      removed: ['gone'],
      typeChanged: [
        { column: 'wider', from: 'BIGINT', to: 'DECIMAL(18,1)', change: 'widening' },
        { column: 'text', from: 'BIGINT', to: 'VARCHAR', change: 'incompatible' },
      ],
      renamed: [
        { from: 'Case', to: 'case', score: 1, reasons: [] },
        { from: 'old', to: 'new', score: 0.9, reasons: [] },
      ],
    });
    expect(breaking).toEqual([
      'The column gone is gone.',
      'The column old is called new.',
      'The column text was BIGINT and is VARCHAR.',
    ]);
  });
});
