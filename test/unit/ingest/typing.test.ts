import { describe, expect, it } from 'vitest';
import type { ReadOptions } from '../../../lib/ingest/options.ts';
import { brief, readBack } from './world.ts';

const column = (...values: string[]): string => `x\n${values.join('\n')}\n`;

/** Values of one column, the type it takes, and its values as DuckDB prints them where they differ. */
const typed: readonly [string, string[], string, string[]?][] = [
  ['integers', ['0', '-1', '9223372036854775807', '-9223372036854775808'], 'BIGINT'],
  ['integers past 2^63', ['9223372036854775808', '1'], 'DECIMAL(38,0)'],
  ['integers past 2^127', ['170141183460469231731687303715884105728'], 'VARCHAR'],
  ['decimals', ['1.1', '1.10', '-3', '.5'], 'DECIMAL(18,2)', ['1.10', '1.10', '-3.00', '0.50']],
  [
    'decimals of 38 digits',
    ['0.00000000000000000000000000000000000001', '-0.5'],
    'DECIMAL(38,38)',
    ['.00000000000000000000000000000000000001', `-.5${'0'.repeat(37)}`],
  ],
  ['decimals of 18 digits behind the point', ['0.123456789012345678'], 'DECIMAL(38,18)'],
  ['decimals that share no 38 digits', ['1000000000000000000000000000001', '0.123456789'], 'VARCHAR'],
  ['floats as programs print them', ['1.0', '2.5e-07', '1e+22'], 'DOUBLE', ['1.0', '2.5e-07', '1e+22']],
  ['an exponent that a double changes', ['123456789012345678901e0', '1'], 'VARCHAR'],
  ['a negative zero among integers and big ones', ['-0', '9007199254740993'], 'VARCHAR'],
  ['leading zeros', ['007', '12'], 'VARCHAR'],
  ['a plus sign', ['+4722330011', '1'], 'VARCHAR'],
  ['a point at the end', ['1.', '2'], 'VARCHAR'],
  ['thousands', ['1,000'].map((text) => `"${text}"`), 'VARCHAR', ['1,000']],
  ['underscores', ['1_000'], 'VARCHAR'],
  ['hexadecimal', ['0x1F'], 'VARCHAR'],
  ['spaces around numbers', [' 1', '2'], 'VARCHAR'],
  ['infinity and NaN', ['inf', 'nan', '1.5'], 'VARCHAR'],
  ['booleans', ['true', 'false'], 'BOOLEAN'],
  ['capital booleans', ['TRUE', 'FALSE'], 'BOOLEAN', ['true', 'false']],
  ['booleans of two styles', ['true', 'False'], 'VARCHAR'],
  ['t, f, yes, no', ['t', 'f', 'yes', 'no'], 'VARCHAR'],
  ['0 and 1', ['0', '1'], 'BIGINT'],
  ['dates', ['2024-02-29', '0001-01-01', '9999-12-31'], 'DATE'],
  ['a day that does not exist', ['2023-02-29', '2023-01-01'], 'VARCHAR'],
  ['words that DuckDB takes for dates', ['infinity', '2023-01-01'], 'VARCHAR'],
  ['dates without zeros', ['2023-1-1'], 'VARCHAR'],
  ['compact dates', ['20230101'], 'BIGINT'],
  ['dates among timestamps', ['2023-01-01', '2023-01-01 10:00:00'], 'VARCHAR'],
  ['timestamps', ['2023-01-01 10:00:00', '2023-01-01 10:00:00.123456'], 'TIMESTAMP'],
  ['timestamps with T', ['2023-01-01T10:00:00.100'], 'TIMESTAMP', ['2023-01-01 10:00:00.1']],
  ['timestamps to the minute', ['2023-01-01T10:00'], 'TIMESTAMP', ['2023-01-01 10:00:00']],
  ['timestamps of two styles', ['2023-01-01T10:00:00', '2023-01-01 10:00:00'], 'VARCHAR'],
  ['nanoseconds', ['2023-01-01 10:00:00.1234567'], 'VARCHAR'],
  ['hour 24', ['2023-01-01 24:00:00'], 'VARCHAR'],
  ['UTC', ['2023-01-01T10:00:00Z'], 'TIMESTAMP WITH TIME ZONE', ['2023-01-01 10:00:00+00']],
  ['UTC as an offset', ['2023-01-01 10:00:00.5+00:00'], 'TIMESTAMP WITH TIME ZONE', ['2023-01-01 10:00:00.5+00']],
  ['other zones', ['2023-01-01T10:00:00+02:00'], 'VARCHAR'],
  ['times of day', ['10:00:00'], 'VARCHAR'],
  ['days and months', ['01/02/2023'], 'VARCHAR'],
  ['a negative zero among floats', ['-0.0', '1e3'], 'DOUBLE', ['-0.0', '1000.0']],
  ['words for no number', ['NaN', '1'], 'VARCHAR'],
  ['booleans and one other word', ['true', 'false', 'unknown'], 'VARCHAR'],
  ['numbers with the sign of a currency', ['$5', '$1234.50'], 'VARCHAR'],
  ['percentages', ['12%', '0.5 %'], 'VARCHAR'],
  ['points between thousands', ['1.234.567', '1.234'], 'VARCHAR'],
  ['points that may stand between thousands', ['1.234', '5.678'], 'DECIMAL(18,3)'],
];

describe('a column takes the narrowest type that keeps every value exactly', () => {
  it.each(typed)('%s', async (_, values, type, printed = values) => {
    const read = await readBack('t.csv', column(...values));
    expect(read.schema).toEqual([`x ${type}`]);
    expect(read.rows).toEqual(printed.map((text) => [text]));
  });

  it('keeps NA and its like as words', async () => {
    const words = ['NA', 'N/A', 'null', 'NULL', 'NaN', 'None', '-', '?'];
    const read = await readBack('t.csv', column('1', ...words, '2', '3', '4', '5', '6', '7', '8'));
    expect(read.schema).toEqual(['x VARCHAR']);
    expect(read.rows.slice(1, 9)).toEqual(words.map((word) => [word]));
    expect(brief(read)).toEqual([{ code: 'TYPE_WIDENED', column: 'x', row: 2, count: 8, example: 'NA' }]);
  });

  it('takes an empty field for NULL, and an empty text in quotes for text', async () => {
    expect((await readBack('t.csv', 'x,y\n1,\n,""\n')).schema).toEqual(['x BIGINT', 'y VARCHAR']);
    const read = await readBack('t.csv', 'x,y\n1,1\n"",2\n');
    expect(read.schema).toEqual(['x VARCHAR', 'y BIGINT']);
    expect(read.rows).toEqual([
      ['1', '1'],
      ['', '2'],
    ]);
    expect(brief(read).map(({ code }) => code)).toEqual(['EMPTY_TEXT_KEPT', 'TYPE_WIDENED']);
  });

  it('takes an empty field for NULL in typed columns where every field is quoted, and says so', async () => {
    const read = await readBack('t.csv', '"x","y"\n"1","a"\n"",""\n"3","b"\n');
    expect(read.schema).toEqual(['x BIGINT', 'y VARCHAR']);
    expect(read.rows).toEqual([
      ['1', 'a'],
      [null, ''],
      ['3', 'b'],
    ]);
    expect(brief(read)).toEqual([{ code: 'EMPTY_AS_NULL', column: 'x', row: 2, count: 1, example: '' }]);
  });
});

describe('dates with day and month before the year', () => {
  const decided = { code: 'DATE_ORDER_DECIDED', column: 'x' };
  const typed = async (values: readonly string[], options: ReadOptions = {}) => {
    const read = await readBack('t.csv', `x\n${values.join('\n')}\n`, {}, options);
    return { schema: read.schema, rows: read.rows.flat(), warnings: brief(read) };
  };

  it.each([
    ['day first', ['01/02/2023', '31/12/2023', ''], ['2023-02-01', '2023-12-31', null]],
    ['month first', ['01/02/2023', '12/31/2023', ''], ['2023-01-02', '2023-12-31', null]],
    ['day first with points', ['1.2.2023', '13.2.2023'], ['2023-02-01', '2023-02-13']],
    ['month first with hyphens', ['1-2-0001', '2-28-2023'], ['0001-01-02', '2023-02-28']],
  ])('are read %s where one of them says so', async (_, values, dates) => {
    const count = dates.filter((date) => date !== null).length;
    expect(await typed(values)).toEqual({ schema: ['x DATE'], rows: dates, warnings: [{ ...decided, count }] });
  });

  it.each([
    ['either order fits', ['01/02/2023', '03/04/2023'], 'DATE_ORDER_AMBIGUOUS'],
    ['the year has two digits', ['31/12/23', '01/02/23'], 'DATE_ORDER_AMBIGUOUS'],
    ['one contradicts the others', ['31/12/2023', '01/02/2023', '30/01/2023', '12/31/2023'], 'TYPE_WIDENED'],
    ['a day does not exist', ['31/12/2023', '01/02/2023', '30/02/2023'], 'TYPE_WIDENED'],
    ['the separators differ', ['31/12/2023', '30/12/2023', '30.12.2023'], 'DATE_ORDER_AMBIGUOUS'],
  ])('stay text where %s', async (_, values, code) => {
    const { schema, rows, warnings } = await typed(values);
    expect([schema, rows, warnings.map((each) => each.code)]).toEqual([['x VARCHAR'], values, [code]]);
  });

  it('are decided by a value that no sample of the file has seen', async () => {
    const values = Array.from({ length: 150_000 }, (_, n) => `0${(n % 9) + 1}/02/2023`);
    // Between two of the 64 blocks of the sample.
    values[76_818] = '28/02/2023';
    const { schema, rows, warnings } = await typed(values);
    expect([schema, rows[76_818], rows[3]]).toEqual([['x DATE'], '2023-02-28', '2023-02-04']);
    expect(warnings).toEqual([{ ...decided, count: 150_000 }]);
  });

  it('follow the caller’s word, and stay text where a value contradicts it', async () => {
    const ambiguous = ['01/02/2023', '03/04/2023'];
    expect((await typed(ambiguous, { dateOrder: 'month first' })).rows).toEqual(['2023-01-02', '2023-03-04']);
    expect(await typed(ambiguous, { dateOrder: 'day first' })).toEqual({
      schema: ['x DATE'],
      rows: ['2023-02-01', '2023-04-03'],
      warnings: [],
    });
    const against = await typed(['31/12/2023', '01/02/2023'], { dateOrder: 'month first' });
    expect(against.schema).toEqual(['x VARCHAR']);
  });

  it('of JSON are texts that are read the same', async () => {
    const read = await readBack('t.json', JSON.stringify([{ x: '31/12/2023' }, { x: '01/02/2023' }]));
    expect([read.schema, read.rows.flat()]).toEqual([['x DATE'], ['2023-12-31', '2023-02-01']]);
  });
});

describe('what typing owes the reader is a warning', () => {
  it.each([
    ['leading zeros', ['007', '08', '12'], { code: 'KEPT_AS_TEXT', row: 1, count: 2, example: '007' }],
    ['more than 38 digits', ['1'.repeat(39), '1'], { code: 'KEPT_AS_TEXT', row: 1, count: 2, example: '1'.repeat(39) }],
    [
      'days and months',
      ['01/02/2023', '13.2.23'],
      { code: 'DATE_ORDER_AMBIGUOUS', row: 1, count: 2, example: '01/02/2023' },
    ],
    [
      'zones',
      ['2023-01-01T10:00:00+02:00'],
      { code: 'ZONE_KEPT_AS_TEXT', row: 1, count: 1, example: '2023-01-01T10:00:00+02:00' },
    ],
    ['capital booleans', ['True', 'False'], { code: 'BOOLEAN_WORDS', count: 2 }],
    ['an odd date', ['2023-01-01', 'soon', '2023-01-03'], { code: 'TYPE_WIDENED', row: 2, count: 1, example: 'soon' }],
  ])('%s', async (_, values, warning) => {
    expect(brief(await readBack('t.csv', column(...values)))).toEqual([{ column: 'x', ...warning }]);
  });

  it('is owed for a column without a value', async () => {
    const read = await readBack('t.csv', 'x,y\n1,\n2,\n');
    expect(read.schema).toEqual(['x BIGINT', 'y VARCHAR']);
    expect(brief(read)).toEqual([{ code: 'COLUMN_EMPTY', column: 'y', count: 2 }]);
  });

  it('is owed for one decimal among many integers', async () => {
    const values = Array.from({ length: 200 }, (_, index) => String(index));
    const read = await readBack('t.csv', column(...values, '0.5'));
    expect(brief(read)).toEqual([{ code: 'TYPE_WIDENED', column: 'x', row: 201, count: 1, example: '0.5' }]);
  });

  it('is not owed for ordinary text, decimals and dates', async () => {
    expect((await readBack('t.csv', 'a,b,c\nx,1.5,2023-01-01\ny,2,2023-01-02\n')).warnings).toEqual([]);
  });
});

describe('one odd value late in a large file widens its column and no other', () => {
  const rows = 20_000;
  const pad = 'x'.repeat(150);
  const usual = (index: number): string[] => [
    String(index),
    '1.25',
    '2023-01-01',
    '2023-01-01 10:00:00',
    'true',
    '',
    pad,
  ];
  /** Inside the last block of the file, past what the sample takes of it. */
  const late = Math.floor(rows * 0.995);
  const file = (odd: string[]): string => {
    const lines = Array.from({ length: rows }, (_, index) => usual(index).join());
    lines[late] = odd.join();
    return `i,d,day,at,b,e,pad\n${lines.join('\n')}\n`;
  };
  const types = ['BIGINT', 'DECIMAL(18,2)', 'DATE', 'TIMESTAMP', 'BOOLEAN', 'VARCHAR', 'VARCHAR'];

  it.each([
    [0, 'n/a', 'VARCHAR'],
    [0, '007', 'VARCHAR'],
    [0, '2.5', 'DECIMAL(18,1)'],
    [0, '9223372036854775808', 'DECIMAL(38,0)'],
    [1, 'free', 'VARCHAR'],
    [2, '2023-02-30', 'VARCHAR'],
    [3, '2023-01-01T10:00:00', 'VARCHAR'],
    [4, 'True', 'VARCHAR'],
  ])(
    'column %i, %s',
    async (place, text, type) => {
      const odd = usual(late);
      odd[place] = text;
      const read = await readBack('t.csv', file(odd));
      expect(read.columns.map((one) => one.type)).toEqual(types.map((one, index) => (index === place ? type : one)));
      expect(read.rowCount).toBe(rows);
      expect(read.rows[late]?.[place]).toBe(text);
      const name = read.columns[place]?.name ?? '';
      expect(brief(read)).toEqual([
        { code: 'COLUMN_EMPTY', column: 'e', count: rows },
        { code: 'TYPE_WIDENED', column: name, row: late + 1, count: 1, example: text },
      ]);
    },
    20_000,
  );

  it('types a column whose only value comes late', async () => {
    const odd = usual(late);
    odd[5] = '42';
    const read = await readBack('t.csv', file(odd));
    expect(read.columns[5]).toEqual({ name: 'e', type: 'BIGINT' });
    expect(read.rows[late]?.[5]).toBe('42');
  }, 20_000);
});
