import { describe, expect, it } from 'vitest';
import { zip } from '../formats/zip-writer.ts';
import { oneSheet, sheetXml, xlsx } from './xlsx-writer.ts';
import { readOne, refusalOf } from './world.ts';

const rows = [
  ['a', 'b'],
  [1, 2],
];
const good = oneSheet(rows);
const withData = (data: string): Buffer => xlsx({ sheets: [{ name: 's', data }] });
const withSheet = (part: string | Uint8Array): Buffer => xlsx({ sheets: [{ name: 's', part }] });
const line = (inner: string): string => `<row r="1">${inner}</row>`;

/** A compound file with one stream of this name. */
function compound(stream: string): Buffer {
  const file = Buffer.alloc(2048);
  file.write('d0cf11e0a1b11ae1', 'hex');
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(1, 48);
  file.write(stream, 1024 + 128, 'utf16le');
  return file;
}

describe('a workbook under a wrong name is refused', () => {
  it.each([
    ['text named .xlsx', 'a.xlsx', Buffer.from('a,b\n1,2\n'), 'FORMAT_MISMATCH', /looks like text/],
    ['a page named .xlsx', 'a.xlsx', Buffer.from('<html><table>'), 'FORMAT_MISMATCH', /an HTML page/],
    [
      'XML of 2003',
      'a.xlsx',
      Buffer.from('<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">'),
      'FORMAT_MISMATCH',
      /Excel 2003/,
    ],
    ['an archive', 'a.xlsx', zip({ name: 'a.csv', data: 'a' }), 'FORMAT_MISMATCH', /content is zip/],
    ['a document', 'a.xlsx', zip({ name: 'word/document.xml' }), 'FORMAT_MISMATCH', /a text document/],
    ['a binary workbook', 'a.xlsx', zip({ name: 'xl/workbook.bin' }), 'FORMAT_MISMATCH', /XLSB/],
    [
      'a workbook named .csv',
      'a.csv',
      good,
      'FORMAT_MISMATCH',
      /an Excel workbook \(XLSX\); let its name end in \.xlsx/,
    ],
    ['a workbook named .zip', 'a.zip', good, 'FORMAT_MISMATCH', /let its name end in \.xlsx/],
    ['one with a password', 'a.xlsx', compound('EncryptedPackage'), 'WORKBOOK_ENCRYPTED', /encrypted/],
  ] as const)('%s', async (_kind, name, content, code, detail) => {
    const fault = await refusalOf(content, { name });
    expect([fault.code, fault.detail]).toEqual([code, expect.stringMatching(detail)]);
  });
});

describe('a damaged workbook is refused, with the place:', () => {
  const part = (name: string, data: string) => xlsx({ sheets: [{ name: 's', rows }], parts: [{ name, data }] });
  it.each([
    ['no list of sheets', zip({ name: 'xl/styles.xml', data: '<a/>' }), /no list of sheets/],
    ['a sheet that is missing', part('xl/_rels/workbook.xml.rels', '<Relationships/>'), /"s" stands nowhere/],
    [
      'a sheet without a part',
      xlsx({
        sheets: [{ name: 's' }],
        parts: [
          {
            name: 'xl/_rels/workbook.xml.rels',
            data: '<R><Relationship Id="rId1" Type="x/worksheet" Target="n.xml"/></R>',
          },
        ],
      }),
      /sheet 1 is missing/,
    ],
    ['a tag that is not closed', withSheet('<worksheet><sheetData>'), /sheet1\.xml", it ends before it is whole/],
    ['a tag that closes another', withSheet('<worksheet><sheetData></worksheet>'), /closes what is not open/],
    [
      'text behind the end',
      withSheet(`${sheetXml({ name: 's', rows })}x`),
      /outside of all elements|before it is whole/,
    ],
    ['a document type', withSheet('<!DOCTYPE a [<!ENTITY b "c">]><worksheet/>'), /a document type is not read/],
    ['an entity of its own', withData(line('<c r="A1" t="str"><v>&b;</v></c>')), /&b; is not defined/],
    ['an attribute without quotes', withData(line('<c r=A1><v>1</v></c>')), /no value in quotes/],
    ['bytes that are no UTF-8', withSheet(Buffer.from('<worksheet>\xff</worksheet>', 'latin1')), /not UTF-8/],
    [
      'another encoding',
      withSheet('<?xml version="1.0" encoding="windows-1252"?><worksheet/>'),
      /says to be in windows-1252/,
    ],
    ['a row before the last', withData('<row r="2"><c r="A2"><v>1</v></c></row><row r="2"/>'), /row 2 follows row 2/],
    ['a cell in another row', withData(line('<c r="A2"><v>1</v></c>')), /cell A2 stands in row 1/],
    ['a cell twice', withData(line('<c r="A1"><v>1</v></c><c r="A1"><v>2</v></c>')), /cell A1 stands twice/],
    ['a cell that is called nothing', withData(line('<c r="11"><v>1</v></c>')), /a cell is called "11"/],
    ['a column beyond the last', withData(line('<c r="ZZZZ1"><v>1</v></c>')), /more than 16384 columns/],
    [
      'a string that is not there',
      withData(line('<c r="A1" t="s"><v>5</v></c>')),
      /shared string 5, which is not there/,
    ],
    ['a type of its own', withData(line('<c r="A1" t="q"><v>5</v></c>')), /unknown type "q"/],
    ['half of a character', withData(line('<c r="A1" t="str"><v>_xD83D_</v></c>')), /cell A1 has half of a character/],
  ])('%s', async (_kind, content, detail) => {
    const fault = await refusalOf(content);
    expect([fault.code, fault.detail]).toEqual(['PARSE_ERROR', expect.stringMatching(detail)]);
  });
});

describe('what a workbook may cost', () => {
  const xml = (length: number): string => `<worksheet><sheetData/>${' '.repeat(length)}</worksheet>`;

  it('is bounded by its size, before anything is inflated', async () => {
    const bomb = withSheet(xml(70 << 20));
    expect((await refusalOf(bomb)).code).toBe('DECOMPRESSION_LIMIT');
    expect((await refusalOf(good, { limits: { maxDecompressedBytes: 500 } })).code).toBe('DECOMPRESSION_LIMIT');
  });

  it('is bounded where one text stands in many cells', async () => {
    const data = Array.from(
      { length: 3000 },
      (_, row) => `<row r="${row + 1}"><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>`,
    );
    const book = xlsx({ sheets: [{ name: 's', data: data.join('') }], strings: [`<t>${'x'.repeat(32_000)}</t>`] });
    expect((await refusalOf(book)).code).toBe('DECOMPRESSION_LIMIT');
  });

  it('is bounded in columns, in the length of a text, and in where a part may stand', async () => {
    const wide = Array.from({ length: 21 }, (_, column) => `c${column}`);
    expect((await refusalOf(oneSheet([wide, wide]), { limits: { maxColumns: 20 } })).code).toBe('TOO_MANY_COLUMNS');
    const long = oneSheet([
      ['a', 'b'],
      [1, 'x'.repeat(50_000)],
    ]);
    expect((await refusalOf(long, { limits: { maxRecordBytes: 10_000 } })).code).toBe('LIMIT_EXCEEDED');
    const outside = xlsx({ sheets: [{ name: 's', rows }], parts: [{ name: '../../evil.xml', data: '<a/>' }] });
    expect((await refusalOf(outside)).code).toBe('ARCHIVE_ENTRY_NAME');
  });

  it('damaged bytes in a part are found by their checksum', async () => {
    const wrong = xlsx({
      sheets: [{ name: 's', rows }],
      parts: [{ name: 'xl/worksheets/sheet1.xml', data: sheetXml({ name: 's', rows }), crc: 1 }],
    });
    expect((await refusalOf(wrong)).code).toBe('COMPRESSION_CORRUPT');
    expect((await refusalOf(good.subarray(0, good.length - 30))).code).toBe('COMPRESSION_CORRUPT');
  });

  it('is not more for pictures and other parts that are no sheets', async () => {
    const parts = [
      { name: 'xl/media/image1.png', data: Buffer.alloc(1000, 7) },
      { name: 'xl/vbaProject.bin', data: 'x' },
    ];
    expect((await readOne(xlsx({ sheets: [{ name: 's', rows }], parts }), { name: 'a.xlsm' })).rows).toEqual([
      ['1', '2'],
    ]);
  });
});
