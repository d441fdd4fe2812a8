import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { zip } from '../formats/zip-writer.ts';
import { oneSheet, type SheetSpec, xlsx } from './xlsx-writer.ts';
import { readOne, readWorkbook } from './world.ts';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const relations = (type: string, target: string, id = 'rId1') =>
  `<Relationships xmlns="${PACKAGE}"><Relationship Id="${id}" Type="${type}" Target="${target}"/></Relationships>`;

const rows: SheetSpec['rows'] = [
  ['a', 'b'],
  [1, 'x'],
];
const expected = { schema: ['a BIGINT', 'b VARCHAR'], rows: [['1', 'x']] };
const read = async (content: Uint8Array, name = 'book.xlsx') => {
  const { schema, rows: values } = await readOne(content, { name });
  return { schema, rows: values };
};
const withSheet = (part: string | Uint8Array): Buffer => xlsx({ sheets: [{ name: 's', part }] });
const head = '<row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row>';

describe('a workbook is read the same', () => {
  it('whose parts are named from the root, in capitals, with backslashes, or at another place', async () => {
    const sheet = `<worksheet xmlns="${MAIN}"><sheetData>${head}<row><c><v>1</v></c><c t="str"><v>x</v></c></row></sheetData></worksheet>`;
    const book = `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="s" sheetId="1" r:id="rId1"/></sheets></workbook>`;
    const at = (main: string, list: string, target: string, part: string) =>
      zip(
        { name: '_rels/.rels', data: relations(`${OFFICE}/officeDocument`, main) },
        { name: main.replace(/^\//, ''), data: book },
        { name: list, data: relations(`${OFFICE}/worksheet`, target) },
        { name: part, data: sheet },
      );
    const list = 'xl/_rels/workbook.xml.rels';
    expect(await read(at('/xl/workbook.xml', list, '/xl/worksheets/sheet.xml', 'xl/worksheets/sheet.xml'))).toEqual(
      expected,
    );
    expect(
      await read(
        at('xl/Workbook.xml', 'xl/_rels/Workbook.xml.rels', 'Worksheets/Sheet1.xml', 'xl/worksheets/sheet1.xml'),
      ),
    ).toEqual(expected);
    expect(
      await read(at('xl\\workbook.xml', 'xl\\_rels\\workbook.xml.rels', 'worksheets/s.xml', 'xl\\worksheets\\s.xml')),
    ).toEqual(expected);
    expect(await read(at('workbook.xml', '_rels/workbook.xml.rels', './sheets/../s.xml', 's.xml'))).toEqual(expected);
  });

  it('with prefixes on its tags, and in the strict namespaces', async () => {
    const strict = 'http://purl.oclc.org/ooxml/spreadsheetml/main';
    const sheet = `<?xml version="1.0"?>\n<!-- made by hand -->\n<x:worksheet xmlns:x="${strict}" xmlns:z="urn:z"><x:dimension ref="A1"/><x:sheetData><x:row r="1" z:r="9"><x:c r="A1" t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c><x:c r="B1" t="inlineStr"><x:is><x:t>b</x:t></x:is></x:c></x:row><x:row r="2"><x:c r='A2'><x:v>1</x:v></x:c><x:c r="B2" t="str"><x:v>x</x:v></x:c></x:row></x:sheetData><x:extLst><x:ext><z:row r="77"/></x:ext></x:extLst></x:worksheet>`;
    expect(await read(withSheet(sheet))).toEqual(expected);
  });

  it('without the numbers of rows and cells, in cells out of order, and with empty ones between', async () => {
    const without = `<worksheet><sheetData>${head}<row><c><v>1</v></c><c t="str"><v>x</v></c></row></sheetData></worksheet>`;
    expect(await read(withSheet(without))).toEqual(expected);
    const mixed = `<worksheet><sheetData>${head}<row r="2"/><row r="3" spans="1:2"><c r="B3" t="str"><v>x</v></c><c r="D3" s="1"/><c r="A3"><v>1</v></c></row></sheetData></worksheet>`;
    expect(await read(withSheet(mixed))).toEqual(expected);
    const byCell = `<worksheet><sheetData>${head}<row><c r="A3"><v>1</v></c><c r="B3" t="str"><v>x</v></c></row></sheetData></worksheet>`;
    const { tables } = await readWorkbook(withSheet(byCell));
    expect(tables[0]?.within).toMatchObject({ header: 1, first: 3, last: 3 });
  });

  it('in UTF-16, and behind a byte order mark', async () => {
    const xml = `<?xml version="1.0" encoding="UTF-16"?><worksheet><sheetData>${head}<row><c><v>1</v></c><c t="str"><v>x</v></c></row></sheetData></worksheet>`;
    expect(await read(withSheet(Buffer.from(`\ufeff${xml}`, 'utf16le')))).toEqual(expected);
    expect(await read(withSheet(Buffer.from(`\ufeff${xml}`, 'utf16le').swap16()))).toEqual(expected);
    expect(await read(withSheet(`\ufeff${xml.replace('UTF-16', 'utf-8')}`))).toEqual(expected);
  });

  it('in parts that are stored, compressed as a whole, or in an archive', async () => {
    const plain = oneSheet(rows);
    expect(await read(gzipSync(plain), 'book.xlsx.gz')).toEqual(expected);
    expect(await read(zip({ name: 'folder/book.xlsx', data: plain }), 'book.zip')).toEqual(expected);
    expect(await read(zip({ name: 'book', data: plain }), 'book.xlsx.zip')).toEqual(expected);
  });

  it('with dates in ISO 8601', async () => {
    const dates = ['2024-01-31', '2024-01-31T12:30:00', '2024-01-31T12:30:00Z', '12:30:00'];
    const cells = dates.map((date) => `<c t="d"><v>${date}</v></c>`).join('');
    const names = 'abcd'
      .split('')
      .map((name) => `<c t="str"><v>${name}</v></c>`)
      .join('');
    const { schema, rows: values } = await read(
      withSheet(`<worksheet><sheetData><row>${names}</row><row>${cells}</row></sheetData></worksheet>`),
    );
    expect(schema).toEqual(['a DATE', 'b TIMESTAMP', 'c TIMESTAMP WITH TIME ZONE', 'd VARCHAR']);
    expect(values[0]?.slice(0, 2)).toEqual(['2024-01-31', '2024-01-31 12:30:00']);
  });

  it('that says to have a million rows, most of them empty', async () => {
    const empty = Array.from(
      { length: 20_000 },
      (_, index) => `<row r="${index + 3}"><c r="A${index + 3}" s="1"/></row>`,
    );
    const xml = `<worksheet><dimension ref="A1:XFD1048576"/><sheetData>${head}<row r="2"><c><v>1</v></c><c t="str"><v>x</v></c></row>${empty.join('')}<row r="1048576"><c r="A1048576"/></row></sheetData></worksheet>`;
    expect(await read(withSheet(xml))).toEqual(expected);
  });
});
