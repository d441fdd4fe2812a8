import { set_cptable, utils, write, type WorkBook } from '@e965/xlsx';
import * as codePages from '@e965/xlsx/dist/cpexcel.full.mjs';
import { describe, expect, it } from 'vitest';
import { type Packed, zip } from '../formats/zip-writer.ts';
import { readOne, readWorkbook, refusalOf } from './world.ts';

set_cptable(codePages);

function xls(fill: (book: WorkBook) => void, bookType: 'biff8' | 'biff5' = 'biff8'): Buffer {
  const book = utils.book_new();
  fill(book);
  return write(book, { type: 'buffer', bookType }) as Buffer;
}

describe('an XLS workbook', () => {
  const day = { t: 'n', v: 45_292, z: 'yyyy-mm-dd' };
  const rowsWith = (text: string) => [
    ['Title', null, null, null, null],
    ['id', 'name', 'day', 'share', 'err'],
    [1, text, day, { t: 'n', v: 0.5, z: '0%' }, { t: 'e', v: 42 }],
    [2, '007', day, { t: 'n', v: 0.25, z: '0%' }, 1],
  ];

  // The writer of the older kind writes ASCII only.
  it.each([
    ['biff8', 'Zoë\nx'],
    ['biff5', 'Zoe\nx'],
  ] as const)('is read like the others (%s)', async (kind, text) => {
    const content = xls((book) => {
      const sheet = utils.aoa_to_sheet(rowsWith(text));
      utils.book_append_sheet(book, sheet, 'Data');
    }, kind);
    const { name, schema, rows: read, warnings, ofFile } = await readOne(content, { name: 'old.xls' });
    expect([name, schema]).toEqual([
      'old',
      ['id BIGINT', 'name VARCHAR', 'day DATE', 'share DECIMAL(18,2)', 'err BIGINT'],
    ]);
    expect(read).toEqual([
      ['1', text, '2024-01-01', '0.50', null],
      ['2', '007', '2024-01-01', '0.25', '1'],
    ]);
    expect(warnings.map(({ code, row, example }) => [code, row, example])).toEqual([
      ['PERCENT_AS_FRACTION', 3, '0.5'],
      ['CELL_ERRORS', 3, '#N/A'],
    ]);
    expect(ofFile).toMatchObject([{ code: 'SHEET_ROWS_LEFT_OUT', row: 1 }]);
  });

  it('has merged cells, days from 1904, and sheets of its own', async () => {
    const content = xls((book) => {
      const sheet = utils.aoa_to_sheet([
        ['a', 'd'],
        ['x', { t: 'n', v: 1, z: 'd.m.yyyy' }],
        [null, { t: 'n', v: 2, z: 'd.m.yyyy' }],
      ]);
      sheet['!merges'] = [{ s: { r: 1, c: 0 }, e: { r: 2, c: 0 } }];
      utils.book_append_sheet(book, sheet, 'One');
      utils.book_append_sheet(
        book,
        utils.aoa_to_sheet([
          ['b', 'c'],
          [true, 2],
        ]),
        'Two',
      );
      book.Workbook = { ...book.Workbook, WBProps: { date1904: true } };
    });
    const { tables } = await readWorkbook(content, { name: 'old.xls' });
    expect(tables.map(({ name, rows: read }) => [name, read])).toEqual([
      [
        'old__One',
        [
          ['x', '1904-01-02'],
          ['x', '1904-01-03'],
        ],
      ],
      ['old__Two', [['true', '2']]],
    ]);
  });

  it('that is too large, damaged or something else is refused', async () => {
    const good = xls((book) => utils.book_append_sheet(book, utils.aoa_to_sheet(rowsWith('x')), 'Data'));
    const large = await refusalOf(Buffer.concat([good, Buffer.alloc(8 << 20)]), { name: 'old.xls' });
    expect([large.code, large.detail]).toEqual(['LIMIT_EXCEEDED', expect.stringMatching(/save it as XLSX/)]);
    expect((await refusalOf(good, { name: 'old.xlsx' })).detail).toMatch(/\(XLS\); let its name end in \.xls/);
    expect((await refusalOf(Buffer.from('a\tb\n1\t2\n'), { name: 'old.xls' })).code).toBe('FORMAT_MISMATCH');
  });
});

const NAMES = 'xmlns:office="urn:o" xmlns:table="urn:t" xmlns:text="urn:x" xmlns:style="urn:s" xmlns:calcext="urn:c"';

function ods(sheets: string, parts: readonly Packed[] = []): Buffer {
  const styles =
    '<office:automatic-styles><style:style style:name="ta2"><style:table-properties table:display="false"/></style:style></office:automatic-styles>';
  const content = `<?xml version="1.0"?><office:document-content ${NAMES}>${styles}<office:body><office:spreadsheet>${sheets}</office:spreadsheet></office:body></office:document-content>`;
  const mimetype = { name: 'mimetype', data: 'application/vnd.oasis.opendocument.spreadsheet', method: 0 };
  return zip(mimetype, { name: 'content.xml', data: content }, ...parts);
}

const text = (value: string, attributes = ''): string =>
  `<table:table-cell office:value-type="string" ${attributes}><text:p>${value}</text:p></table:table-cell>`;
const cell = (attributes: string): string => `<table:table-cell ${attributes}/>`;
const row = (cells: string, attributes = ''): string => `<table:table-row ${attributes}>${cells}</table:table-row>`;
const sheet = (name: string, rows: string, style = 'ta1'): string =>
  `<table:table table:name="${name}" table:style-name="${style}">${rows}</table:table>`;
const float = (value: number | string): string =>
  cell(`office:value-type="float" office:value="${value}" calcext:value-type="float"`);

describe('an ODS workbook', () => {
  it('says what its cells are, and repeats what is alike', async () => {
    const first = [
      float('1'),
      text('a<text:s text:c="2"/>b</text:p><text:p>  <text:span>c</text:span>  d<text:tab/>'),
      cell('office:value-type="date" office:date-value="2024-01-31"'),
      cell('office:value-type="percentage" office:value="0.125"'),
      cell('office:value-type="time" office:time-value="PT36H05M00S"'),
      cell('office:value-type="boolean" office:boolean-value="true"'),
      '<table:table-cell office:value-type="string" calcext:value-type="error" table:formula="of:=1/0"><text:p>#DIV/0!</text:p></table:table-cell>',
    ].join('');
    const head = ['n', 's', 'd', 'p', 't', 'b', 'e'].map((name) => text(name)).join('');
    const blank = row(cell('table:number-columns-repeated="16384"'), 'table:number-rows-repeated="1048000"');
    const content = ods(sheet('S', row(head) + row(first, 'table:number-rows-repeated="2"') + row(float(2)) + blank));
    const { schema, rows, warnings } = await readOne(content, { name: 'b.ods' });
    expect(schema).toEqual([
      'n BIGINT',
      's VARCHAR',
      'd DATE',
      'p DECIMAL(18,3)',
      't VARCHAR',
      'b BOOLEAN',
      'e VARCHAR',
    ]);
    expect(rows).toEqual([
      ['1', 'a  b\nc d\t', '2024-01-31', '0.125', '36:05:00', 'true', null],
      ['1', 'a  b\nc d\t', '2024-01-31', '0.125', '36:05:00', 'true', null],
      ['2', null, null, null, null, null, null],
    ]);
    expect(warnings.map(({ code, row: at }) => [code, at])).toEqual([
      ['PERCENT_AS_FRACTION', 2],
      ['CELL_ERRORS', 2],
      ['COLUMN_EMPTY', undefined],
    ]);
  });

  it('has merged cells, hidden sheets, comments that do not count, and sheets of its own', async () => {
    const merged = text(
      'x<office:annotation><text:p>note</text:p></office:annotation>',
      'table:number-rows-spanned="2"',
    );
    const rows = row(text('a') + text('b')) + row(merged + float(1)) + row('<table:covered-table-cell/>' + float(2));
    const { tables, warnings } = await readWorkbook(ods(sheet('S', rows) + sheet('T', rows, 'ta2')), { name: 'b.ods' });
    expect(tables.map(({ name }) => name)).toEqual(['b__S', 'b__T']);
    expect(tables[1]?.rows).toEqual([
      ['x', '1'],
      ['x', '2'],
    ]);
    expect(warnings).toEqual([{ code: 'SHEET_HIDDEN', example: 'T' }]);
  });

  it('that repeats rows beyond all measure, or is encrypted, is refused', async () => {
    const wide = row(
      text('x'.repeat(1000), 'table:number-columns-repeated="200"'),
      'table:number-rows-repeated="1000000"',
    );
    expect((await refusalOf(ods(sheet('S', wide)), { name: 'b.ods' })).code).toBe('DECOMPRESSION_LIMIT');
    const manifest = {
      name: 'META-INF/manifest.xml',
      data: '<m:manifest><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>',
    };
    expect((await refusalOf(ods(sheet('S', ''), [manifest]), { name: 'b.ods' })).code).toBe('WORKBOOK_ENCRYPTED');
    expect((await refusalOf(ods(sheet('S', '')), { name: 'b.xlsx' })).code).toBe('FORMAT_MISMATCH');
  });
});
