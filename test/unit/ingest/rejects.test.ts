// What cannot be taken as it is is named with its place, and no value of a record that is left out has a say in the table.
import { describe, expect, it } from 'vitest';
import type { ReadOptions } from '../../../lib/ingest/options.ts';
import { xlsx } from './sheets/xlsx-writer.ts';
import { brief, readBack, refusal } from './world.ts';

const lost = { maxRejectShare: 1 };
const asked = (onMisfit: ReadOptions['onMisfit'], more: ReadOptions = {}): ReadOptions => ({
  ...{ types: { id: 'BIGINT' }, onMisfit, ...lost },
  ...more,
});

const csv = 'id,n,note\n1,10,"two\nlines"\nx,eleven,b\n\n3,30,c\nTotal,40,d\n';
const records = ['{"id":1,"n":10}', '{"id":"x","n":"eleven"}', '{"id":3,\n"n":30}', '{"id":"Total","n":40}'];

describe('a record with a value that does not fit its type', () => {
  it('does not hide the sign that the numbers of its column carry', async () => {
    const options: ReadOptions = { ...lost, types: { price: 'DECIMAL(9,2)' }, onMisfit: 'null', currency: true };
    const back = await readBack('t.csv', 'k,price\na,N/A\nb,€5.00\nc,€7.50\n', {}, options);
    expect(back.rows).toEqual([
      ['a', null],
      ['b', '5.00'],
      ['c', '7.50'],
    ]);
  });

  it('is left out of a CSV where the caller says so, and no type comes from it', async () => {
    const back = await readBack('t.csv', csv, {}, asked('reject'));
    expect(back.schema).toEqual(['id BIGINT', 'n BIGINT', 'note VARCHAR']);
    expect(back.rows).toEqual([
      ['1', '10', 'two\nlines'],
      ['3', '30', 'c'],
    ]);
    expect(back.rowCount).toBe(2);
    expect(back.rejects).toEqual({
      counts: { MISFIT_REJECTED: 2 },
      found: [
        { reason: 'MISFIT_REJECTED', row: 2, line: 4, column: 'id', value: 'x' },
        { reason: 'MISFIT_REJECTED', row: 4, line: 7, column: 'id', value: 'Total' },
      ],
    });
    expect(brief(back)).toContainEqual({ code: 'RECORDS_REJECTED', row: 2, count: 2, example: 'x' });
  });

  it.each([
    ['json', `[${records.join(',\n')}]`, [2, 5]],
    ['ndjson', records.join('\n').replace(',\n', ','), [2, 4]],
  ] as const)('is left out of %s', async (format, text, lines) => {
    const { schema, rows, rejects } = await readBack(`t.${format}`, text, {}, asked('reject'));
    expect(schema).toEqual(['id BIGINT', 'n VARCHAR']);
    expect(rows).toEqual([
      ['1', '10'],
      ['3', '30'],
    ]);
    expect(rejects?.found.map(({ line }) => line)).toEqual(lines);
  });

  it('is left out of a sheet, whose row and name are told', async () => {
    const bytes = xlsx({
      sheets: [{ name: 'Q1', rows: [['Report'], [], ['id', 'n'], [1, 10], [], ['x', 'eleven'], [3, 30]] }],
    });
    const back = await readBack('t.xlsx', bytes, {}, asked('reject'));
    expect([back.schema, back.rowCount]).toEqual([['id BIGINT', 'n VARCHAR'], 2]);
    const found = [{ reason: 'MISFIT_REJECTED', row: 2, line: 6, sheet: 'Q1', column: 'id', value: 'x' }];
    expect(back.rejects).toEqual({ counts: { MISFIT_REJECTED: 1 }, found });
  });

  it('names the first column of several, and keeps the numbers of the rows behind it', async () => {
    const text = 'id,day,n\nx,2024-13-01,1\n2,2024-01-02,2\n3,soon,3\n4,2024-01-04,?\n5,2024-01-05,5\n';
    const back = await readBack('t.csv', text, {}, asked('reject', { types: { id: 'BIGINT', day: 'DATE' } }));
    expect(back.rejects?.found.map(({ reason, row, column }) => [reason, row, column])).toEqual([
      ['MISFIT_REJECTED', 1, 'id'],
      ['MISFIT_REJECTED', 3, 'day'],
      ['TYPE_WIDENED', 4, 'n'],
    ]);
    expect(brief(back)).toContainEqual({ code: 'TYPE_WIDENED', column: 'n', row: 4, count: 1, example: '?' });
  });

  it('is left out within bounds only', async () => {
    const few = await refusal('t.csv', csv, {}, { types: { id: 'BIGINT' }, onMisfit: 'reject', maxRejectShare: 0.4 });
    expect([few.code, few.extra]).toEqual(['TOO_MANY_REJECTS', { rejected: 2, records: 4, limit: 1 }]);
    expect(few.detail).toBe('2 of 4 records do not fit; the limit is 1. The first in row 2: "x".');
    const none = await refusal('t.csv', csv, {}, asked('reject', { maxRejects: 1 }));
    expect(none.extra).toMatchObject({ limit: 1 });
    expect((await readBack('t.csv', csv, {}, { types: { id: 'BIGINT' }, onMisfit: 'reject' })).rowCount).toBe(2);
  });

  it('is refused by default, with the line', async () => {
    const { detail, extra } = await refusal('t.csv', csv, {}, { types: { id: 'BIGINT' } });
    expect(detail).toBe('Column "id", row 2 (line 4): "x" is no BIGINT.');
    expect(extra).toEqual({ column: 'id', row: 2, line: 4, type: 'BIGINT', value: 'x' });
  });
});

describe('a cell that holds an error', () => {
  const error = (at: string, text: string) => ({ xml: `<c r="${at}" t="e"><f>x</f><v>${text}</v></c>` });
  const rows = [
    ['Report'],
    [],
    ['id', 'n', 'note'],
    [1, error('B4', '#DIV/0!'), 'a'],
    [],
    [2, 5, error('C6', '#N/A')],
    [error('A7', '#REF!'), 'six', error('C7', '#N/A')],
    [4, 7, 'd'],
  ];
  const bytes = xlsx({ sheets: [{ name: 'Q1', rows }] });
  const errors = [
    { reason: 'CELL_ERROR', row: 1, line: 4, sheet: 'Q1', column: 'n', value: '#DIV/0!' },
    { reason: 'CELL_ERROR', row: 2, line: 6, sheet: 'Q1', column: 'note', value: '#N/A' },
    { reason: 'CELL_ERROR', row: 3, line: 7, sheet: 'Q1', column: 'id', value: '#REF!' },
    { reason: 'CELL_ERROR', row: 3, line: 7, sheet: 'Q1', column: 'note', value: '#N/A' },
  ];

  it('is named with its row of the sheet, its column and the error', async () => {
    const { rejects, rowCount, warnings } = await readBack('t.xlsx', bytes);
    expect(rejects).toEqual({ counts: { CELL_ERROR: 4 }, found: errors });
    expect(rowCount).toBe(4);
    expect(warnings.filter(({ code }) => code === 'CELL_ERRORS').map(({ count }) => count)).toEqual([1, 1, 2]);
  });

  it('is no record that is left out', async () => {
    const { rejects, rowCount } = await readBack('t.xlsx', bytes, {}, { types: { n: 'BIGINT' }, onMisfit: 'reject' });
    expect(rowCount).toBe(3);
    const misfit = { reason: 'MISFIT_REJECTED', row: 3, line: 7, sheet: 'Q1', column: 'n', value: 'six' };
    expect(rejects?.counts).toEqual({ CELL_ERROR: 4, MISFIT_REJECTED: 1 });
    expect(rejects?.found).toEqual([...errors, misfit]);
  });

  it('is in no report where none is asked for', async () => {
    expect((await readBack('t.xlsx', bytes, {}, { report: 'none' })).rejects).toEqual({ counts: {}, found: [] });
  });
});

describe('a record that is none', () => {
  const reject: ReadOptions = { onBadRecord: 'reject' };

  it('is left out of a CSV up to the end of the line on which it breaks, and one that is too wide is', async () => {
    const text = 'a,b\n1,x\n2,"y"z\n3,"two\nlines"q,"r\n4,w\n5,v,more\n6,u\n7,"open\n8,t\n';
    const back = await readBack('t.csv', text, {}, reject);
    expect(back.schema).toEqual(['a BIGINT', 'b VARCHAR']);
    expect(back.rows).toEqual([
      ['1', 'x'],
      ['4', 'w'],
      ['6', 'u'],
      ['8', 't'],
    ]);
    expect(back.rejects).toEqual({
      counts: { RECORD_BROKEN: 3, RECORD_WIDE: 1 },
      found: [
        { reason: 'RECORD_BROKEN', line: 3, value: '2,"y"z' },
        { reason: 'RECORD_BROKEN', line: 4, value: '3,"two\nlines"q,"r' },
        { reason: 'RECORD_WIDE', line: 7, value: '5,v,more' },
        { reason: 'RECORD_BROKEN', line: 9, value: '7,"open' },
      ],
    });
    expect(brief(back)).toEqual([
      { code: 'RECORDS_REJECTED', row: 1, count: 3, example: '2,"y"z' },
      { code: 'RECORDS_REJECTED', row: 2, count: 1, example: '5,v,more' },
    ]);
    expect((await refusal('t.csv', text)).code).toBe('PARSE_ERROR');
  });

  it.each([
    ['CRLF', 'a;b\r\n1;"x"y\r\n2;z\r\n3;z\r\n'],
    ['CR', 'a;b\r1;"x"y\r2;z\r3;z\r'],
    ['a head that breaks the other delimiters too', 'a;b\n1;"x"y\n2;z\n3;z'],
  ])('is left out of a CSV with %s', async (_, text) => {
    const { rows, rejects } = await readBack('t.csv', text, {}, reject);
    expect(rows).toEqual([
      ['2', 'z'],
      ['3', 'z'],
    ]);
    expect(rejects?.found).toEqual([{ reason: 'RECORD_BROKEN', line: 2, value: '1;"x"y' }]);
  });

  it('is left out although it is longer than a record may be, with the line on which its quote opens', async () => {
    const text = `a,b\n1,x\n2,"open\n${`3,${'y'.repeat(300)}\n`.repeat(5000)}`;
    const { rowCount, rejects } = await readBack('t.csv', text, { maxRecordBytes: 2 ** 20 }, reject);
    expect([rowCount, rejects?.found]).toEqual([5001, [{ reason: 'RECORD_BROKEN', line: 3, value: '2,"open' }]]);
  });

  it('is a header, and the file is refused', async () => {
    expect((await refusal('t.csv', 'a,"b"c\n1,2\n', {}, reject)).code).toBe('PARSE_ERROR');
  });

  it('is a quote of a TSV without quotes, which is read as before', async () => {
    const { rows, rejects } = await readBack('t.tsv', 'a\tb\n1\t"x\n2\t"y"z\n', {}, reject);
    expect([rows, rejects?.found]).toEqual([
      [
        ['1', '"x'],
        ['2', '"y"z'],
      ],
      [],
    ]);
  });

  it('is left out of NDJSON, and has no key in the table', async () => {
    const text = '{"a":1}\n{"a":\n{"a":2,"z":1} x\n[3]\n\n{"a":5}\n{"a":6}\n{"a":"\\ud800"}\n{"a":8';
    const back = await readBack('t.ndjson', text, {}, { ...reject, maxRejectShare: 0.7 });
    expect([back.schema, back.rows]).toEqual([['a BIGINT'], [['1'], ['5'], ['6']]]);
    expect(back.rejects?.found.map(({ line, value }) => [line, value])).toEqual([
      [2, '{"a":'],
      [3, '{"a":2,"z":1} x'],
      [4, '[3]'],
      [8, '{"a":"\\ud800"}'],
      [9, '{"a":8'],
    ]);
    expect((await refusal('t.ndjson', text, {}, reject)).extra).toEqual({ rejected: 5, records: 8, limit: 4 });
  });
});

describe('the report', () => {
  it('names the values that became NULL', async () => {
    const { rejects, rows } = await readBack('t.csv', csv, {}, asked('null', { types: { id: 'BIGINT', n: 'BIGINT' } }));
    expect(rows.map((row) => row.slice(0, 2))).toEqual([
      ['1', '10'],
      [null, null],
      ['3', '30'],
      [null, '40'],
    ]);
    expect(rejects?.counts).toEqual({ MISFIT_AS_NULL: 3 });
    expect(rejects?.found.map(({ line, column, value }) => [line, column, value])).toEqual([
      [4, 'id', 'x'],
      [4, 'n', 'eleven'],
      [7, 'id', 'Total'],
    ]);
  });

  it('names every record where it is to, and nothing where it is not', async () => {
    const all = await readBack('t.csv', csv, {}, asked('reject', { report: 'all' }));
    expect(all.rejects?.accepted).toBe(2);
    expect(all.rejects?.found.map(({ reason, row, line }) => [reason, row, line])).toEqual([
      ['ACCEPTED', 1, 2],
      ['MISFIT_REJECTED', 2, 4],
      ['ACCEPTED', 3, 6],
      ['MISFIT_REJECTED', 4, 7],
    ]);
    const none = await readBack('t.csv', csv, {}, asked('reject', { report: 'none' }));
    expect([none.rejects, none.rowCount]).toEqual([{ found: [], counts: {} }, 2]);
  });

  it.each([
    ['a mark', '\ufeffid,n\n1,1\nx,2\n', {}, 3],
    ['CRLF', 'id,n\r\n1,"\r\n"\r\nx,2\r\n', {}, 4],
    ['CR', 'id,n\r1,1\rx,2\r', {}, 3],
    ['rows above the header', 'by hand\n\nid,n\n1,1\nx,2\n', { headerRow: 3 }, 5],
    ['a line that names the delimiter', 'sep=;\nid;n\n1;1\nx;2\n', {}, 4],
  ] as const)('counts lines behind %s', async (_, text, more, line) => {
    const { rejects } = await readBack('t.csv', text, {}, asked('reject', more));
    expect(rejects?.found.map((reject) => reject.line)).toEqual([line]);
  });
});
