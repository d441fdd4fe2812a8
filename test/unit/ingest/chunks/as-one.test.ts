// A text read in chunks of any size is the table, with the warnings, or the refusal, that it is when it is read at once.
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../lib/core/fault.ts';
import type { ReadOptions } from '../../../../lib/ingest/options.ts';
import { readBack } from '../world.ts';
import { readChunked } from './read-chunked.ts';
import { awkwardCell } from '../awkward-cell.ts';

type Format = 'csv' | 'tsv' | 'json' | 'ndjson';

const outcome = async (work: Promise<unknown>): Promise<unknown> =>
  work.catch((thrown: unknown) => {
    if (!(thrown instanceof Fault)) throw thrown;
    return { code: thrown.code, detail: thrown.detail, extra: thrown.extra };
  });

async function compare(format: Format, content: string, chunkBytes: number, options: ReadOptions = {}) {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const whole = await outcome(
    readBack(`t.${format}`, content, {}, options).then(({ schema, rows, rowCount, warnings, rejects }) => ({
      ...{ schema, rows, rowCount, warnings, rejects, sha256 },
    })),
  );
  const chunked = await outcome(
    readChunked(format, content, { chunkBytes }, options).then((read) => ({
      ...{ schema: read.schema, rows: read.rows, rowCount: read.rowCount, warnings: read.warnings },
      ...{ rejects: read.rejects, sha256: read.sha256 },
    })),
  );
  expect(chunked).toEqual(whole);
}

const broken = 'a,b\n1,x\n2,"y"z\n3,"two\nlines"q,"r\n4,w\n5,v,more\n6,u\n';

const misfits = 'a,b\n1,2024-01-02\n2,"soon\n"\n3,2024-01-04\nx,2024-01-05\n5,2024-01-06\n';
const types = { a: 'BIGINT', b: 'DATE' };

describe('a text read in chunks is what it is read at once', () => {
  const csvs: readonly [string, string, ReadOptions?][] = [
    ['plain rows', 'a,b\n1,x\n2,y\n3,z\n'],
    ['a mark at the start', '\ufeffa,b\n1,x\n2,y\n'],
    ['a mark in a value that begins a chunk', 'a,b\n11111,x\n\ufeff2,y\n\ufeff3,z\n'],
    ['CRLF', 'a,b\r\n1,x\r\n2,y\r\n3,z\r\n'],
    ['CR', 'a,b\r1,x\r2,y\r3,"z\r\r"\r'],
    ['line ends that change', 'a,b\n1,x\r\n2,y\n3,z\r\n'],
    ['quoted line ends', 'a,b\n1,"x\ny, ""z"""\n2,"\r\n\r\n"\n3,c\n'],
    ['no last line end', 'a,b\n1,x\n2,y'],
    ['ragged rows', 'a,b\n1\n2,y,z\n\n3,x\n4,"",5,6\n'],
    ['blank lines and one column', 'a\n\n1\n\n2\n'],
    ['rows above the header', 'made by\nhand\n\na,b\n1,2\n3,4\n', { headerRow: 4 }],
    ['no header', '1,2\n3,4\n5,6\n', { headerRow: 0 }],
    ['all quoted with empty ones', '"a","b"\n"1",""\n"2","x"\n"","y"\n'],
    ['a late text', 'a,b\n1,2\n2,3\n3,4\n4,5\n5,6\nx,7\n'],
    ['broken and wide records', broken, { onBadRecord: 'reject', maxRejectShare: 1, report: 'all' }],
    ['too many broken records', broken, { onBadRecord: 'reject', maxRejects: 2 }],
    ['a quote that is never closed, left out', 'a,b\n1,x\n2,y\n3,"z\n4,w\n', { onBadRecord: 'reject' }],
    ['a decimal comma', 'a;b\n1.234,5;1,5\n2;,25\n3,10;1.5\n4;2\n', { decimal: ',', thousands: '.' }],
    ['a currency', 'a,b\n$1.50,1\n"$1,000",2\n-$2,3\n', { currency: true, thousands: ',' }],
    ['a currency that most have', 'a,b\n1 €,1\n2 €,2\n3,3\n4 €,4\n', { currency: true }],
    ['two currencies', 'a,b\n$1,1\n2 €,2\n$3,3\n', { currency: true }],
    [
      'percent beside a currency',
      'a;b\n1,5 %;EUR 3\n20%;EUR 4,5\n;EUR 5\n',
      { currency: true, percent: true, decimal: ',' },
    ],
    ['percent and words', 'a,b\nn/a,1%\n5%,2%\n7%,x\n', { percent: true }],
    [
      'percent that is asked for as a type',
      'a,b\n5%,1\n7 %,2\nx,3\n',
      { percent: true, types: { a: 'DECIMAL(9,4)' }, onMisfit: 'reject', report: 'all' },
    ],
    [
      'signs in a column that is text',
      'a,b\n$1,5%\n$2,6%\n',
      { currency: true, percent: true, types: { a: 'VARCHAR' } },
    ],
    ['a value that does not fit', misfits, { types }],
    ['a value that does not fit, NULL', misfits, { types, onMisfit: 'null' }],
    ['records that do not fit, left out', misfits, { types, onMisfit: 'reject', report: 'all' }],
    ['too many that do not fit', misfits, { types, onMisfit: 'reject', maxRejects: 1 }],
    ['bad ones of both kinds', `${misfits}6,"x"y\n`, { types, onMisfit: 'reject', onBadRecord: 'reject' }],
    [
      'too many bad ones of both kinds',
      `${misfits}6,"x"y\n`,
      { types, onMisfit: 'reject', onBadRecord: 'reject', maxRejects: 2 },
    ],
    ['empty ones in quotes', '"a","b"\n"1",""\n"","2"\n"x","3"\n', { types: { a: 'BIGINT' }, onMisfit: 'reject' }],
    [
      'dates in an order',
      'd\n01/02/2024\nsoon\n25/12/2024\n',
      { types: { d: 'DATE' }, dateOrder: 'day first', onMisfit: 'null' },
    ],
    ['a report of every record', 'a,b\n1,2\n2,3\n3,"\n4"\n4,5\n5,6\nx,7\n', { report: 'all' }],
    ['no report', 'a,b\n1,2\n2,3\n3,4\n4,5\n5,6\nx,7\n', { report: 'none' }],
    ['dates decided late', 'd\n01/02/2024\n02/03/2024\n03/04/2024\n25/12/2024\n'],
    ['dates never decided', 'd\n01/02/2024\n02/03/2024\n03/04/2024\n'],
    ['an exponent late', 'x\n9007199254740993\n0.1\n3\n1e5\n'],
    ['a delimiter that fits all rows', 'a;b,c\n1;2,3\n4;5,6\n7;8\n'],
    ['null words', 'a,b\nNA,1\n2,NA\n', { nullWords: ['NA'] }],
    ['a column that is text', 'a,b\n1,1\n2,2\n', { types: { a: 'VARCHAR' } }],
    ['stray quotes', 'a,b\n1,x"y\n2,5" nail\n'],
    ['a header alone', 'a,b\n'],
    ['blank lines only', '\n\n\n\n\n\n'],
    ['a quote that is never closed', 'a,b\n1,x\n2,y\n3,"z\n'],
    ['bytes that are no text', 'a,b\n1,x\n2,y\n3,z\n'],
    ['too many header rows', 'a,b\n1,2\n', { headerRow: 9 }],
  ];
  it.each(csvs)('CSV: %s', async (_, content, options) => {
    await compare('csv', content, 7, options);
  });

  const lines = '{"a":1}\n{"a":\n{"a":2} x\n[3]\n\n{"a":"b","c":1}\n  {"a":4}';
  const jsons: readonly [string, Format, string, ReadOptions?][] = [
    [
      'types that are asked for',
      'json',
      '[{"a":"1"},{"a":"x","b":1},{"a":null},\n{"a":4}]',
      { types: { a: 'BIGINT' }, onMisfit: 'reject' },
    ],
    ['lines that are no records', 'ndjson', `${lines}\n`, { onBadRecord: 'reject', maxRejectShare: 1, report: 'all' }],
    ['the last line cut off', 'ndjson', lines.slice(0, -1), { onBadRecord: 'reject', maxRejectShare: 1 }],
    ['the last line without an end', 'ndjson', lines, { onBadRecord: 'reject', maxRejectShare: 1 }],
    ['too many bad lines', 'ndjson', lines, { onBadRecord: 'reject', maxRejectShare: 0.2 }],
    ['an array', 'json', '[{"a":1,"b":"x"},{"a":2,"b":"y"},\n {"b":null,"c":[1]} ]\n'],
    ['an array with a late text and a late key', 'json', '[{"a":1},{"a":2},{"a":"x"},{"a":3,"z":true},{"a":{"k":1}}]'],
    ['lines', 'ndjson', '{"a":1.10}\n\n{"a":2,"b":"\\u00e9"}\r\n{"a":3}'],
    ['a repeated key', 'ndjson', '{"a":1,"a":2}\n{"a":1}\n'],
    ['an empty array', 'json', '  [ ]  '],
    ['an array cut in half', 'json', '[{"a":1},{"a":2},{"a":'],
    ['text behind it', 'json', '[{"a":1},{"a":2}] x'],
    ['no object', 'ndjson', '{"a":1}\n{"a":2}\n3\n'],
    ['two objects on a line', 'ndjson', '{"a":1}\n{"a":2} {"a":3}\n'],
    ['half a pair', 'ndjson', '{"a":"x"}\n{"a":"\\ud83d"}\n'],
  ];
  it.each(jsons)('JSON: %s', async (_, format, content, options) => {
    await compare(format, content, 9, options);
  });

  describe('where a value that no sample shows contradicts the plan', () => {
    const ROWS = 8000;
    const STEP = (ROWS * 200) / 64;
    /** Lines of 200 bytes; those at places between the blocks that are sampled may hold what is told nowhere else. */
    const lines = (odd: ReadonlyMap<number, string>, usual: (row: number) => string): string => {
      const places = new Map([...odd].map(([block, line]) => [Math.floor((block * STEP + 0.85 * STEP) / 200), line]));
      return Array.from({ length: ROWS }, (_, row) => `${(places.get(row) ?? usual(row)).padEnd(199, ' ')}\n`).join('');
    };
    const csvLine = (id: string, price: string, rest = '2024-01-02,,') => `${id},${price},${rest}`;
    const csv = (odd: ReadonlyMap<number, string>) =>
      `${'id,price,day,late,note'.padEnd(199, ' ')}\n${lines(odd, (row) => csvLine(String(row), '1.50'))}`;
    const ndjson = (odd: ReadonlyMap<number, string>) =>
      lines(odd, (row) => JSON.stringify({ id: row, price: 1.5, late: null }));

    const prices = (odd: ReadonlyMap<number, string>, usual = '$1.50') =>
      `${'price,share,note'.padEnd(199, ' ')}\n${lines(odd, () => `${usual},50%,`)}`;
    const signs = { currency: true, percent: true } as const;
    const late: readonly [string, Format, string, ReadOptions?][] = [
      ['a number without the sign', 'csv', prices(new Map([[7, '2.50,50%,']])), signs],
      ['another currency', 'csv', prices(new Map([[30, '2.50 €,50%,']])), signs],
      ['a wider number with the sign', 'csv', prices(new Map([[44, '$2.505,50%,']])), signs],
      ['a sign in a column that seemed empty', 'csv', prices(new Map([[40, '$7,50%,']]), ''), signs],
      [
        'signs in a column that seemed empty, and a number',
        'csv',
        prices(
          new Map([
            [3, '-$7,50%,'],
            [50, '5,50%,'],
            [60, '$9,1,'],
          ]),
          '',
        ),
        signs,
      ],
      [
        'a sign among words in a column that seemed empty',
        'csv',
        prices(
          new Map([
            [3, '#,50%,'],
            [50, '$5,50%,'],
          ]),
          '',
        ),
        { ...signs, types: { price: 'DECIMAL(9,2)' }, onMisfit: 'null' },
      ],
      [
        'words in a column that seemed empty',
        'csv',
        prices(
          new Map([
            [3, 'n/a,50%,'],
            [50, '5,50%,'],
          ]),
          '',
        ),
        signs,
      ],
      ['a wider decimal in the last chunk', 'csv', csv(new Map([[62, csvLine('7', '1.505')]]))],
      ['a value of a column that seemed empty', 'csv', csv(new Map([[40, csvLine('7', '1.50', '2024-01-02,5,')]]))],
      [
        'several',
        'csv',
        csv(
          new Map([
            [3, csvLine('007', '1e5')],
            [20, csvLine('9', '1.50', 'no day,true,')],
            [50, csvLine('', '')],
          ]),
        ),
      ],
      ['a text among the numbers of JSON', 'ndjson', ndjson(new Map([[33, JSON.stringify({ id: 'x', late: [1] })]]))],
    ];
    it.each(late)('%s', async (_, format, content, options) => {
      await compare(format, content, 1 << 19, options);
    });
  });

  it('TSV that quotes nothing', async () => {
    await compare('tsv', 'a\tb\n1\t"x\n2\ty"z\n3\tw\n', 8);
  });

  const record = fc.array(awkwardCell, { minLength: 1, maxLength: 4 }).map((cells) => cells.join(','));
  it('any CSV in chunks of any size', async () => {
    const end = fc.constantFrom('\n', '\r\n');
    const files = fc.record({
      records: fc.array(record, { minLength: 1, maxLength: 12 }),
      end,
      bytes: fc.integer({ min: 1, max: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(files, async ({ records, end: lineEnd, bytes }) => {
        await compare('csv', `h,i,j${lineEnd}${records.join(lineEnd)}${lineEnd}`, bytes);
      }),
      { numRuns: 6 },
    );
  }, 120_000);

  it('any CSV whose numbers may carry signs', async () => {
    const number = fc.constantFrom('1', '2.50', '1,5', '0', '-3', '');
    const sign = fc.constantFrom('$1', '-$2.50', '3 €', '4%', '5.25 %', 'EUR 6', 'x', '');
    const column = fc.constantFrom(
      fc.constantFrom('$1', '$2.50', ''),
      fc.constantFrom('4%', '12.5 %', ''),
      fc.oneof(number, sign),
    );
    const records = fc
      .tuple(column, column)
      .chain(([first, second]) => fc.array(fc.tuple(first, second), { minLength: 1, maxLength: 10 }));
    const options = fc.record({ currency: fc.boolean(), percent: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(records, options, fc.integer({ min: 1, max: 40 }), async (rows, asked, bytes) => {
        const content = `h;i\n${rows.map((cells) => cells.join(';')).join('\n')}\n`;
        await compare('csv', content, bytes, { ...asked, delimiter: ';' });
      }),
      { numRuns: 6 },
    );
  }, 120_000);

  it('any CSV with broken records that are left out', async () => {
    const odd = fc.oneof(awkwardCell, fc.constantFrom('"x"y', '"open', '"', 'a"b'));
    const records = fc.array(fc.array(odd, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 10 });
    const options = { onBadRecord: 'reject', maxRejectShare: 1, report: 'all' } as const;
    await fc.assert(
      fc.asyncProperty(records, fc.integer({ min: 1, max: 40 }), async (rows, bytes) => {
        await compare('csv', `h,i,j\n${rows.map((cells) => cells.join(',')).join('\n')}\n`, bytes, options);
      }),
      { numRuns: 4 },
    );
  }, 120_000);
}, 120_000);

it('chunks that are written side by side hold as much as each other', async () => {
  const content = `a,b\n${'12,xyz\n'.repeat(1000)}`;
  const rowsOf = async (share: number) => {
    const chunkBytes = Math.ceil(share * content.length);
    return (await readChunked('csv', content, { chunkBytes, chunksAtOnce: 2 })).parts.map(({ rows }) => rows);
  };
  for (const rows of await rowsOf(0.6)) expect(Math.abs(rows - 500)).toBeLessThanOrEqual(1);
  const four = await rowsOf(0.45);
  expect(four).toHaveLength(4);
  for (const rows of four) expect(Math.abs(rows - 250)).toBeLessThanOrEqual(1);
});
