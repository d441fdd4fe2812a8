import { describe, expect, it } from 'vitest';
import { xlsx } from './xlsx-writer.ts';
import { readOne } from './world.ts';

describe('merged cells', () => {
  it('repeat their value in the rows below, and are NULL beside it', async () => {
    const rows = [
      ['region', 'n', 'p', 'q'],
      ['north', 1, 7],
      [null, 2, null],
      [null, 3, 8],
      ['south', 4, 9, 10],
    ];
    const { rows: read, warnings } = await readOne(
      xlsx({ sheets: [{ name: 's', rows, merges: ['A2:A4', 'C2:D3', 'A9:B9'] }] }),
    );
    expect(read).toEqual([
      ['north', '1', '7', null],
      ['north', '2', '7', null],
      ['north', '3', '8', null],
      ['south', '4', '9', '10'],
    ]);
    expect(warnings).toEqual([{ code: 'MERGED_CELLS', row: 2, count: 2, example: 'A2:A4' }]);
  });

  it('of a header give nothing to the data, but a name to a header of two rows', async () => {
    const rows = [
      ['id', 'sales', null],
      [null, '2023', '2024'],
      [1, 10, 20],
    ];
    const book = xlsx({ sheets: [{ name: 's', rows, merges: ['A1:A2', 'B1:C1'] }] });
    expect((await readOne(book)).rows[0]).toEqual([null, '2023', '2024']);
    const { schema, rows: read } = await readOne(book, { options: { headerRow: 2 } });
    expect([schema, read]).toEqual([['id BIGINT', '2023 BIGINT', '2024 BIGINT'], [['1', '10', '20']]]);
  });

  it('right above a header stand before the names that repeat under them', async () => {
    const rows = [
      [null, '2023', null, '2024', null],
      ['city', 'Q1', 'Q2', 'Q1', 'Q2'],
      ['Ulm', 1, 2, 3, 4],
    ];
    const { schema } = await readOne(xlsx({ sheets: [{ name: 's', rows, merges: ['B1:C1', 'D1:E1'] }] }));
    expect(schema).toEqual(['city VARCHAR', '2023 Q1 BIGINT', '2023 Q2 BIGINT', '2024 Q1 BIGINT', '2024 Q2 BIGINT']);
  });
});
