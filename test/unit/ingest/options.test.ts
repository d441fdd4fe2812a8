import { describe, expect, it } from 'vitest';
import { readOptionsSchema, requireFitting, type ReadOptions } from '../../../lib/ingest/options.ts';
import { brief, readBack, refusal } from './world.ts';

const read = async (content: string, options: ReadOptions, name = 't.csv') => {
  const back = await readBack(name, content, {}, options);
  return { schema: back.schema, rows: back.rows, warnings: brief(back) };
};

describe('the option', () => {
  it.each(['^', '~', ':', '\t', '#'])('delimiter %j is followed, whatever else would fit better', async (delimiter) => {
    const { schema, rows, warnings } = await read(`a,b${delimiter}c\n1,2${delimiter}3\n`, { delimiter });
    expect([schema, rows, warnings]).toEqual([['a,b VARCHAR', 'c BIGINT'], [['1,2', '3']], []]);
  });

  it('delimiter overrules the name of a .tsv', async () => {
    expect((await read('a;b\n1;2\n', { delimiter: ';' }, 't.tsv')).schema).toEqual(['a BIGINT', 'b BIGINT']);
  });

  it('quote: none makes quotes characters, a quote that never closes among them', async () => {
    const { rows, warnings } = await read('a,b\n"x,5" pipe\n', { quote: 'none' });
    expect([rows, warnings]).toEqual([[['"x', '5" pipe']], []]);
  });

  it('headerRow passes over what stands above it, and says so', async () => {
    const content = 'Report of 2024,,\n\n"made by\nAda"\nid,name,n\n1,x,2\n2,y,3\n';
    const { schema, rows, warnings } = await read(content, { headerRow: 4 });
    expect(schema).toEqual(['id BIGINT', 'name VARCHAR', 'n BIGINT']);
    expect(rows).toEqual([
      ['1', 'x', '2'],
      ['2', 'y', '3'],
    ]);
    expect(warnings).toEqual([{ code: 'ROWS_ABOVE_HEADER', row: 1, count: 3, example: 'Report of 2024,,' }]);
  });

  it('headerRow: 0 names columns after their place and makes the first row data', async () => {
    const { schema, rows, warnings } = await read('\n1,x\n2,y\n', { headerRow: 0 });
    expect(schema).toEqual(['column_1 BIGINT', 'column_2 VARCHAR']);
    expect([rows, warnings.map(({ code }) => code)]).toEqual([
      [
        ['1', 'x'],
        ['2', 'y'],
      ],
      ['BLANK_LINES_SKIPPED'],
    ]);
  });

  it('headerRow: 0 of a file that is read as it is, and of one that is not', async () => {
    const rows = [
      ['1', 'x'],
      ['2', 'y'],
    ];
    expect((await read('1,x\n2,y\n', { headerRow: 0 })).rows).toEqual(rows);
    expect((await read('1,x\r2,y', { headerRow: 0 })).rows).toEqual(rows);
    expect((await read('1\n\n2\n', { headerRow: 0 })).rows).toEqual([['1'], [null], ['2']]);
  });

  it('headerRow: 0 of a file whose first value begins with a second byte order mark', async () => {
    const text = '\ufeff\ufeff1,x\n2,y\n';
    for (const content of [Buffer.from(text), Buffer.from(text, 'utf16le')]) {
      const { rows } = await readBack('t.csv', content, {}, { headerRow: 0 });
      expect(rows[0]).toEqual(['\ufeff1', 'x']);
    }
  });

  it('nullWords makes them NULL where they stand without quotes, in every column', async () => {
    const content = 'n,t\nNA,NA\n1,"NA"\n-,x\n';
    const { schema, rows } = await read(content, { nullWords: ['NA', '-'] });
    expect([schema, rows]).toEqual([
      ['n BIGINT', 't VARCHAR'],
      [
        [null, null],
        ['1', 'NA'],
        [null, 'x'],
      ],
    ]);
    const uneven = await read('n,t\nNA,NA,\n1,"NA"\n', { nullWords: ['NA'] });
    expect(uneven.rows.map(([n, t]) => [n, t])).toEqual([
      [null, null],
      ['1', 'NA'],
    ]);
  });

  it('types keeps a column as it is written, and warns of nothing', async () => {
    const { schema, rows, warnings } = await read('zip,n\n12345,1\n54321,2\n', { types: { zip: 'VARCHAR' } });
    expect([schema, rows[0], warnings]).toEqual([['zip VARCHAR', 'n BIGINT'], ['12345', '1'], []]);
  });

  it.each<[string, string, ReadOptions, RegExp]>([
    ['types names no column', 'a\n1\n', { types: { b: 'VARCHAR' } }, /no column "b"/],
    ['headerRow lies behind the end', 'a\n1\n', { headerRow: 9 }, /no row 9/],
  ])('is refused where %s', async (_name, content, options, detail) => {
    const fault = await refusal('t.csv', content, {}, options);
    expect([fault.code, fault.detail]).toEqual(['OPTION_MISFIT', expect.stringMatching(detail)]);
  });

  it('encoding is followed where the bytes would say another', async () => {
    // Valid in both: `é` in windows-1252, a kanji in Shift-JIS with the letter behind it.
    const bytes = Buffer.from([...Buffer.from('a,b\n'), 0xe9, 0x41, 44, 49, 10]);
    const texts = async (encoding: ReadOptions['encoding']) =>
      (await readBack('t.csv', bytes, {}, { encoding })).rows[0]?.[0];
    expect([await texts('windows-1252'), await texts('shift_jis')]).toEqual(['éA', '顴']);
    const fault = await refusal('t.csv', bytes, {}, { encoding: 'utf-8' });
    expect(fault.code).toBe('ENCODING_INVALID');
    const marked = await refusal('t.csv', Buffer.from('\ufeffa\n1\n'), {}, { encoding: 'shift_jis' });
    expect(marked.code).toBe('OPTION_MISFIT');
  });

  it('encoding is of every text format', async () => {
    const json = Buffer.concat([Buffer.from('[{"a":"'), Buffer.from([0xe9]), Buffer.from('"}]')]);
    expect((await readBack('t.json', json, {}, { encoding: 'iso-8859-1' })).rows).toEqual([['é']]);
    expect(() => requireFitting('ndjson', { encoding: 'utf-8' })).not.toThrow();
    expect(() => requireFitting('parquet', { encoding: 'utf-8' })).toThrow(/encoding is of text/);
  });

  it('of CSV is refused for other formats, by name', () => {
    expect(() => requireFitting('parquet', { headerRow: 2 })).toThrow(/headerRow is of CSV/);
    expect(() => requireFitting('json', {})).not.toThrow();
    expect(() => requireFitting('json', { jsonPath: '/a' })).not.toThrow();
    expect(() => requireFitting('ndjson', { jsonPath: '/a' })).toThrow(/jsonPath is of JSON/);
    expect(() => requireFitting('csv', { jsonPath: '/a' })).toThrow(/jsonPath is of JSON/);
    expect(() => requireFitting('json', { decimal: ',' })).toThrow(/decimal is of CSV/);
    expect(() => requireFitting('tsv', { headerRow: 2 })).not.toThrow();
  });

  it.each([
    { encoding: 'latin1' },
    { delimiter: ',,' },
    { delimiter: '"' },
    { delimiter: 'a' },
    { delimiter: '\n' },
    { delimiter: 'é' },
    { headerRow: -1 },
    { headerRow: 1.5 },
    { headerRow: 1e9 },
    { nullWords: [] },
    { nullWords: [''] },
    { types: { a: 'MONEY' } },
    { types: { a: 'DECIMAL(39,2)' } },
    { types: { a: 'DECIMAL(5,6)' } },
    { types: { a: 'DECIMAL(0,0)' } },
    { decimal: ';' },
    { thousands: 'x' },
    { onMisfit: 'skip' },
    { jsonPath: '' },
    { unknown: 1 },
  ])('is refused with a wrong value (%j)', (options) => {
    expect(readOptionsSchema.safeParse(options).success).toBe(false);
  });
});
