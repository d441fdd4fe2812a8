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
