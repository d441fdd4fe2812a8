import { describe, expect, it } from 'vitest';
import { formatOf } from '../../../../lib/ingest/sheets/cells/formats.ts';
import { numberText } from '../../../../lib/ingest/sheets/cells/numbers.ts';
import { serialValue } from '../../../../lib/ingest/sheets/cells/serials.ts';
import { type CellSpec, oneSheet } from './xlsx-writer.ts';
import { readOne } from './world.ts';

const cell = (attributes: string, inner: string): CellSpec => ({ xml: `<c ${attributes}>${inner}</c>` });

describe('a number', () => {
  it.each([
    ['5', '5'],
    ['5.0', '5'],
    ['1.1000000000000001', '1.1'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['1.2345678901234568E+17', '123456789012345680'],
    ['1E-3', '0.001'],
    ['-0', '-0'],
    [' 7 ', '7'],
    ['9007199254740993', '9007199254740993'],
    ['0.12345678901234567891', '0.12345678901234567891'],
    ['1E400', '1E400'],
    ['nan', undefined],
    ['Infinity', undefined],
    ['', undefined],
    ['1,5', undefined],
    ['0x10', undefined],
  ])('%s is %s', (written, text) => {
    expect(numberText(written)).toBe(text);
  });

  it('keeps whole numbers whole, and text that looks like a number text', async () => {
    const { schema, rows, warnings } = await readOne(
      oneSheet([
        ['n', 'd', 'code', 'mix'],
        [5, 1.5, '007', 1],
        [12, 0.1, '042', 'x'],
        [12, 0.1, '042', 2],
      ]),
    );
    expect(schema).toEqual(['n BIGINT', 'd DECIMAL(18,1)', 'code VARCHAR', 'mix VARCHAR']);
    expect(rows[0]).toEqual(['5', '1.5', '007', '1']);
    expect(warnings).toEqual([{ code: 'MIXED_CELL_TYPES', column: 'mix', row: 3, count: 1, example: 'x' }]);
  });

  it('under a format of percent, currency or leading zeros is the number, with a warning', async () => {
    const formats = ['0.0%', '#,##0.00\\ [$€-407]', '00000', '"kr" #,##0', '[$-409]#,##0'];
    const { rows, warnings } = await readOne(
      oneSheet(
        [
          ['p', 'e', 'zip', 'kr', 'plain'],
          [
            { n: 0.125, as: 1 },
            { n: 3, as: 2 },
            { n: 123, as: 3 },
            { n: 4, as: 4 },
            { n: 5, as: 5 },
          ],
        ],
        { formats },
      ),
    );
    expect(rows).toEqual([['0.125', '3', '123', '4', '5']]);
    expect(warnings.map(({ code, column, row }) => [code, column, row])).toEqual([
      ['PERCENT_AS_FRACTION', 'p', 2],
      ['CURRENCY_LEFT_OUT', 'e', 2],
      ['LEADING_ZEROS_LEFT_OUT', 'zip', 2],
      ['CURRENCY_LEFT_OUT', 'kr', 2],
    ]);
  });
});

describe('a number format', () => {
  it.each([
    ['General', 'number'],
    ['0.00E+00', 'number'],
    ['#,##0.00;[Red]-#,##0.00', 'number'],
    ['0 "days"', 'number'],
    ['\\d0', 'number'],
    ['@', 'number'],
    ['[$-409]mmmm\\ d\\,\\ yyyy;@', 'date'],
    ['dd"."mm"."yyyy', 'date'],
    ['mmm', 'date'],
    ['yyyy"年"m"月"d"日"', 'date'],
    ['[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', 'date'],
    ['[Red]d/m/yy', 'date'],
    ['ge.m.d', 'date'],
    ['d/m/yyyy\\ h:mm', 'timestamp'],
    ['yyyy-mm-dd"T"hh:mm:ss.000', 'timestamp'],
    ['h:mm AM/PM', 'time'],
    ['mm:ss.0', 'time'],
    ['[h]:mm:ss', 'duration'],
    ['[mm]:ss', 'duration'],
  ])('%s shows a %s', (code, shows) => {
    expect(formatOf(code).shows).toBe(shows);
  });
});

describe('days since an epoch', () => {
  const on = (serial: number, shows: 'date' | 'timestamp' | 'time' | 'duration', system: 1900 | 1904 = 1900) => {
    const { kind, text } = serialValue(serial, { shows }, system);
    return `${kind} ${text}`;
  };

  it('count from 1900 with the day that never was, or from 1904', () => {
    expect([1, 59, 60, 61, 45_292].map((day) => on(day, 'date'))).toEqual([
      'date 1900-01-01',
      'date 1900-02-28',
      'date 1900-02-29',
      'date 1900-03-01',
      'date 2024-01-01',
    ]);
    expect([0, 1, 43_830].map((day) => on(day, 'date', 1904))).toEqual([
      'date 1904-01-01',
      'date 1904-01-02',
      'date 2024-01-01',
    ]);
    expect(on(2_958_465, 'date')).toBe('date 9999-12-31');
  });

  it('that are no day of the calendar stay numbers', () => {
    expect([on(0, 'date'), on(-1, 'timestamp'), on(2_958_466, 'date'), on(1e300, 'timestamp')]).toEqual([
      'number 0',
      'number -1',
      'number 2958466',
      'number 1e+300',
    ]);
  });

  it('have times to the millisecond, and to the microsecond where that was meant', () => {
    expect(on(45_292.5242592593, 'timestamp')).toBe('timestamp 2024-01-01 12:34:56');
    expect(on(45_292.999999999, 'timestamp')).toBe('timestamp 2024-01-01 23:59:59.999914');
    expect(on(45_292.99999999999, 'timestamp')).toBe('timestamp 2024-01-02 00:00:00');
    expect(on(45_292.5, 'date')).toBe('timestamp 2024-01-01 12:00:00');
    expect(on(0.75, 'time')).toBe('time 18:00:00');
    expect(on(0.75, 'timestamp')).toBe('time 18:00:00');
    expect(on(45_292.75, 'time')).toBe('timestamp 2024-01-01 18:00:00');
  });

  it('are durations beyond a day where the format says so', () => {
    expect([on(1.5, 'duration'), on(-0.25, 'duration'), on(0, 'duration')]).toEqual([
      'duration 36:00:00',
      'duration -06:00:00',
      'duration 00:00:00',
    ]);
  });

  it('become dates, timestamps and texts of a column', async () => {
    const [day, stamp] = [
      { n: 45_292, as: 1 },
      { n: 45_293.5, as: 2 },
    ];
    const { schema, rows, warnings } = await readOne(
      oneSheet(
        [
          ['d', 't', 'both', 'mixed', 'dur'],
          [day, stamp, day, day, { n: 1.5, as: 3 }],
          [day, stamp, stamp, 'soon', { n: 0.5, as: 3 }],
        ],
        { formats: ['yyyy-mm-dd', 'yyyy-mm-dd hh:mm', '[h]:mm'] },
      ),
    );
    expect(schema).toEqual(['d DATE', 't TIMESTAMP', 'both TIMESTAMP', 'mixed VARCHAR', 'dur VARCHAR']);
    expect(rows[0]).toEqual(['2024-01-01', '2024-01-02 12:00:00', '2024-01-01 00:00:00', '2024-01-01', '36:00:00']);
    expect(warnings.map(({ code, column }) => [code, column])).toContainEqual(['MIXED_CELL_TYPES', 'mixed']);
  });

  it('of the year 1900 that never were make their column text', async () => {
    const rows = [['d', 'n'], ...[59, 60, 61].map((n) => [{ n, as: 1 }, 1])];
    const { schema, rows: read } = await readOne(oneSheet(rows, { formats: ['d.m.yyyy'] }));
    expect([schema[0], read.map(([d]) => d)]).toEqual(['d VARCHAR', ['1900-02-28', '1900-02-29', '1900-03-01']]);
  });

  it('are those of the workbook', async () => {
    const rows = [
      ['d', 'n'],
      [{ n: 0, as: 1 }, 1],
    ];
    const { rows: read } = await readOne(oneSheet(rows, { formats: ['d.m.yyyy'], date1904: true }));
    expect(read).toEqual([['1904-01-01', '1']]);
  });
});

describe('a cell', () => {
  it('with an error is NULL, and one with a formula has the result that the file holds', async () => {
    const { schema, rows, warnings } = await readOne(
      oneSheet([
        ['a', 'b', 'c', 'd'],
        [
          cell('r="A2"', '<f>1+1</f><v>2</v>'),
          cell('r="B2" t="e"', '<f>1/0</f><v>#DIV/0!</v>'),
          cell('r="C2"', '<f>X()</f>'),
          1,
        ],
        [3, 4, cell('r="C3" t="str"', '<f>""</f><v></v>'), 1],
        [3, 4, cell('r="C4" t="str"', '<f>A1&amp;"!"</f><v>a!</v>'), 1],
      ]),
    );
    expect(schema).toEqual(['a BIGINT', 'b BIGINT', 'c VARCHAR', 'd BIGINT']);
    expect(rows).toEqual([
      ['2', null, null, '1'],
      ['3', '4', null, '1'],
      ['3', '4', 'a!', '1'],
    ]);
    expect(warnings).toEqual([
      { code: 'CELL_ERRORS', column: 'b', row: 2, count: 1, example: '#DIV/0!' },
      { code: 'FORMULAS_NOT_CALCULATED', column: 'c', row: 2, count: 1 },
      { code: 'EMPTY_TEXT_AS_NULL', column: 'c', row: 3, count: 1 },
    ]);
  });

  it('that is true or false is a boolean', async () => {
    const { schema, rows } = await readOne(
      oneSheet([
        ['a', 'b'],
        [true, 1],
        [false, 2],
      ]),
    );
    expect([schema[0], rows.map(([a]) => a)]).toEqual(['a BOOLEAN', ['true', 'false']]);
  });

  it('has its text whole: line ends, quotes, commas, spaces, runs, escapes, but not how it is pronounced', async () => {
    const strings = [
      '<t>a</t>',
      '<r><t>ri</t></r><r><rPr><b/></rPr><t xml:space="preserve">ch </t></r><rPh sb="0" eb="1"><t>NO</t></rPh>',
    ];
    const shared = (at: string, index: number): CellSpec => cell(`r="${at}" t="s"`, `<v>${index}</v>`);
    const { rows } = await readOne(
      oneSheet(
        [
          [shared('A1', 0), 'b'],
          [shared('A2', 1), 'x "y", z\nw '],
          [
            cell('r="A3" t="inlineStr"', '<is><t>5_x000D_6 _x005F_x000D_</t></is>'),
            cell('r="B3" t="inlineStr"', '<is><t><![CDATA[<&>]]>&#x1F600;&lt;</t></is>'),
          ],
        ],
        { strings },
      ),
    );
    expect(rows).toEqual([
      ['rich ', 'x "y", z\nw '],
      ['5\r6 _x000D_', '<&>😀<'],
    ]);
  });
});
