import { describe, expect, it } from 'vitest';
import { type CellSpec, oneSheet, xlsx } from './xlsx-writer.ts';
import { readOne, readWorkbook, refusalOf } from './world.ts';

type Rows = readonly (readonly CellSpec[])[];
const blank: readonly CellSpec[] = [];
/** Name, columns and number of rows of each table. */
async function outline(rows: Rows, name = 'book.xlsx') {
  const { tables } = await readWorkbook(oneSheet(rows), { name });
  return tables.map((table) => [
    table.name,
    table.schema.map((column) => column.split(' ')[0]).join(),
    table.rows.length,
  ]);
}

describe('a table of a sheet', () => {
  it('begins below the titles, which are left out with a warning', async () => {
    const rows = [['Sales 2024'], blank, [null, 'made by Ada'], ['id', 'city', 'n'], [1, 'Oslo', 2], [2, 'Bergen', 3]];
    const { name, schema, rows: read, ofFile, warnings } = await readOne(oneSheet(rows));
    expect([name, schema]).toEqual(['book', ['id BIGINT', 'city VARCHAR', 'n BIGINT']]);
    expect(read).toEqual([
      ['1', 'Oslo', '2'],
      ['2', 'Bergen', '3'],
    ]);
    expect(ofFile).toEqual([{ code: 'SHEET_ROWS_LEFT_OUT', row: 1, count: 2, example: 'Sales 2024' }]);
    expect(warnings).toEqual([]);
  });

  it('stands wherever it stands, and empty columns are none of it', async () => {
    const rows = [blank, blank, [null, null, 'a', null, 'b'], [null, null, 1, null, 2], [null, null, 3, null, 4]];
    expect((await readOne(oneSheet(rows))).schema).toEqual(['a BIGINT', 'b BIGINT']);
  });

  it('ends at two blank rows, and a blank row inside is left out with a warning', async () => {
    const rows = [['a', 'b'], [1, 2], blank, [3, 4], blank, blank, ['c', 'd'], [5, 6]];
    expect(await outline(rows)).toEqual([
      ['book__Sheet1', 'a,b', 2],
      ['book__Sheet1_2', 'c,d', 1],
    ]);
    const { tables } = await readWorkbook(oneSheet(rows));
    expect(tables[0]?.warnings).toEqual([{ code: 'BLANK_LINES_SKIPPED', row: 3, count: 1 }]);
  });

  it('is one of several, each called by the label above it', async () => {
    const rows = [
      ['Costs 2024'],
      ['what', 'n'],
      ['rent', 10],
      blank,
      ['Income'],
      ['what', 'n'],
      ['sales', 20],
      ['rent', 5],
      blank,
      blank,
      ['Costs 2024'],
      ['x', 'y'],
      [1, 2],
    ];
    expect(await outline(rows)).toEqual([
      ['book__Sheet1__Costs_2024', 'what,n', 1],
      ['book__Sheet1__Income', 'what,n', 2],
      ['book__Sheet1__Costs_2024_2', 'x,y', 1],
    ]);
  });

  it('ends at a label right below it only where a header follows that is no row of it', async () => {
    const stacked = [['a', 'n'], ['x', 1], ['Other'], ['b', 'm'], ['y', 2]];
    expect(await outline(stacked)).toEqual([
      ['book__Sheet1', 'a,n', 1],
      ['book__Sheet1__Other', 'b,m', 1],
    ]);
    const sparse = [['a', 'b', 'c'], ['x', 'y', 'z'], ['alone'], ['x', 'y', 'z'], ['last']];
    expect(await outline(sparse)).toEqual([['book', 'a,b,c', 4]]);
  });

  it('leaves out notes below a blank row, and keeps totals', async () => {
    const rows = [['a', 'n'], ['x', 1], ['y', 2], [null, 3], blank, ['Source: somebody']];
    const { rows: read, ofFile } = await readOne(oneSheet(rows));
    expect(read.at(-1)).toEqual([null, '3']);
    expect(ofFile).toMatchObject([{ code: 'SHEET_ROWS_LEFT_OUT', row: 6, count: 1, example: 'Source: somebody' }]);
  });

  it('has its header behind a row of figures, and behind a short list of facts', async () => {
    expect(
      await outline([
        [1, 2, 3],
        ['id', 'name', 'n'],
        [1, 'x', 2],
      ]),
    ).toEqual([['book', 'id,name,n', 1]]);
    const facts = [['Made', 'Ada'], blank, ['id', 'name', 'n'], [1, 'x', 2], [2, 'y', 3]];
    expect(await outline(facts)).toEqual([['book', 'id,name,n', 2]]);
    const several = [['Made', 'Ada'], ['On', 'Monday'], blank, ['id', 'name', 'n'], [1, 'x', 2]];
    expect(await outline(several)).toEqual([
      ['book__Sheet1', 'Made,Ada', 1],
      ['book__Sheet1_2', 'id,name,n', 1],
    ]);
  });

  it('ends at two blank columns where each side has a header and data, and is called by the label above it', async () => {
    const rows = [
      ['Costs', null, null, null, 'Income'],
      ['what', 'n', null, null, 'what', 'n'],
      ['rent', 10, null, null, 'sales', 20],
      ['heat', 5, null, null, 'rent', 1],
      ['food', 7],
    ];
    const { tables, warnings } = await readWorkbook(oneSheet(rows));
    expect(tables).toMatchObject([
      {
        name: 'book__Sheet1__Costs',
        schema: ['what VARCHAR', 'n BIGINT'],
        rows: [
          ['rent', '10'],
          ['heat', '5'],
          ['food', '7'],
        ],
      },
      {
        name: 'book__Sheet1__Income',
        schema: ['what VARCHAR', 'n BIGINT'],
        rows: [
          ['sales', '20'],
          ['rent', '1'],
        ],
      },
    ]);
    expect(warnings).toEqual([{ code: 'SHEET_ROWS_LEFT_OUT', row: 1, count: 1, example: 'Costs | Income' }]);
    const near = [
      ['a', 'b', null, 'c', 'd'],
      [1, 2, null, 3, 4],
    ];
    expect(await outline(near)).toEqual([['book', 'a,b,c,d', 1]]);
    const aside = [
      ['a', 'b', null, null, 'note'],
      [1, 2, null, null, 'x'],
    ];
    expect(await outline(aside)).toEqual([['book', 'a,b,note', 1]]);
  });

  it('has the wider of two rows of texts for a header where figures follow it', async () => {
    const grouped = [
      [null, '2023', null, '2024'],
      ['city', 'Q1', 'Q2', 'Q3', 'Q4'],
      ['Ulm', 1, 2, 3, 4],
    ];
    expect((await readOne(oneSheet(grouped))).schema).toEqual([
      ...['city VARCHAR', 'Q1 BIGINT', 'Q2 BIGINT', 'Q3 BIGINT', 'Q4 BIGINT'],
    ]);
    const worded = [
      ['a', 'b'],
      ['x', 'y', 'note'],
      ['z', 'w', 'more'],
    ];
    expect(await outline(worded)).toEqual([['book', 'a,b,column_3', 2]]);
  });

  it('may have one column, where the sheet has one', async () => {
    expect(await outline([['mail'], ['a@x.no'], ['b@x.no']])).toEqual([['book', 'mail', 2]]);
    expect(await outline([['n'], [1], [2]])).toEqual([['book', 'n', 2]]);
  });

  it('has columns without a name where data stands beyond the header', async () => {
    const { schema, warnings } = await readOne(
      oneSheet([
        ['a', null, 'c'],
        [1, 2, 3, 4],
      ]),
    );
    expect(schema).toEqual(['a BIGINT', 'column_2 BIGINT', 'c BIGINT', 'column_4 BIGINT']);
    expect(warnings.map(({ code, column }) => [code, column])).toEqual([
      ['COLUMN_UNNAMED', 'column_2'],
      ['COLUMN_UNNAMED', 'column_4'],
    ]);
  });
});

describe('a workbook', () => {
  const table: Rows = [
    ['a', 'b'],
    [1, 2],
  ];

  it('has a table for each sheet, hidden ones too, in the order of the tabs', async () => {
    const { tables, warnings } = await readWorkbook(
      xlsx({
        sheets: [
          { name: 'Ørsta 1', rows: table },
          { name: 'none', rows: [] },
          { name: '2024', rows: table, state: 'veryHidden' },
        ],
      }),
      { name: 'my book.xlsm' },
    );
    expect(tables.map(({ name }) => name)).toEqual(['my_book__Orsta_1', 'my_book__t_2024']);
    expect(warnings).toEqual([{ code: 'SHEET_HIDDEN', example: '2024' }]);
  });

  it('is read as far as the option sheet says', async () => {
    const book = xlsx({ sheets: ['x', 'y', 'z'].map((name) => ({ name, rows: table })) });
    const names = async (sheet: string | string[]) =>
      (await readWorkbook(book, { options: { sheet } })).tables.map(({ name, within }) => [
        name,
        within && 'sheet' in within && within.sheet,
      ]);
    expect(await names('y')).toEqual([['book', 'y']]);
    expect(await names(['z', 'x'])).toEqual([
      ['book__x', 'x'],
      ['book__z', 'z'],
    ]);
    const fault = await refusalOf(book, { options: { sheet: 'w' } });
    expect([fault.code, fault.detail]).toEqual(['OPTION_MISFIT', 'There is no sheet "w"; there are "x", "y", "z".']);
  });

  it('has one table a sheet where the option headerRow says the header', async () => {
    const rows = [['note', 'of'], [1], ['a', 'b'], ['x', 1], blank, blank, blank, ['y', 2]];
    const { schema, rows: read, ofFile } = await readOne(oneSheet(rows), { options: { headerRow: 3 } });
    expect([schema, read.length]).toEqual([['a VARCHAR', 'b BIGINT'], 2]);
    expect(ofFile).toEqual([{ code: 'ROWS_ABOVE_HEADER', row: 1, count: 2, example: 'note | of' }]);
    const none = await readOne(oneSheet(table), { options: { headerRow: 0 } });
    expect([none.schema, none.rows.length]).toEqual([['column_1 VARCHAR', 'column_2 VARCHAR'], 2]);
    const beyond = await refusalOf(oneSheet(table), { options: { headerRow: 9 } });
    expect([beyond.code, beyond.detail]).toEqual(['OPTION_MISFIT', 'The sheet "Sheet1" has no row 9.']);
  });

  it('without a table is refused, and one with too many', async () => {
    expect((await refusalOf(oneSheet([['only', 'header']]))).code).toBe('EMPTY_FILE');
    const sheets = Array.from({ length: 46 }, (_, index) => ({ name: `s${index}`, rows: table }));
    const fault = await refusalOf(xlsx({ sheets }));
    expect([fault.code, fault.extra]).toEqual(['TOO_MANY_TABLES', { tables: 46, limit: 45 }]);
  });
});
