// Writes XLSX workbooks for tests, part by part, so that each can be as odd as programs make them.
import { type Packed, zip } from '../formats/zip-writer.ts';

/** `xml` is a whole `<c>`; `n` a number under the format with this number (from 1) in the list of the workbook. */
export type CellSpec =
  | string
  | number
  | boolean
  | null
  | { readonly xml: string }
  | { readonly n: number; readonly as: number };

export interface SheetSpec {
  readonly name: string;
  readonly rows?: readonly (readonly CellSpec[])[];
  /** What stands between `<sheetData>` and its end, instead of rows. */
  readonly data?: string;
  /** The whole part. */
  readonly part?: string | Uint8Array;
  readonly merges?: readonly string[];
  readonly state?: 'hidden' | 'veryHidden';
}

export interface BookSpec {
  readonly sheets: readonly SheetSpec[];
  /** Codes of number formats. */
  readonly formats?: readonly string[];
  /** The inner XML of each shared string. */
  readonly strings?: readonly string[];
  readonly date1904?: boolean;
  /** More parts, or others in place of those that would be written. */
  readonly parts?: readonly Packed[];
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export function letters(column: number): string {
  return column < 26 ? String.fromCharCode(65 + column) : letters(Math.floor(column / 26) - 1) + letters(column % 26);
}

function cellXml(cell: CellSpec, at: string): string {
  if (cell === null) return '';
  if (typeof cell === 'string')
    return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`;
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${at}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  return 'xml' in cell ? cell.xml : `<c r="${at}" s="${cell.as}"><v>${cell.n}</v></c>`;
}

const rowsXml = (rows: NonNullable<SheetSpec['rows']>): string =>
  rows
    .map((cells, row) => {
      const inner = cells.map((cell, column) => cellXml(cell, `${letters(column)}${row + 1}`)).join('');
      return inner === '' ? '' : `<row r="${row + 1}">${inner}</row>`;
    })
    .join('');

export function sheetXml({ rows = [], data = rowsXml(rows), merges = [] }: SheetSpec): string {
  const merged = merges.map((ref) => `<mergeCell ref="${ref}"/>`).join('');
  const list = merged === '' ? '' : `<mergeCells count="${merges.length}">${merged}</mergeCells>`;
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData>${list}</worksheet>`;
}

export function stylesXml(codes: readonly string[]): string {
  const formats = codes.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escapeXml(code)}"/>`);
  const styles = codes.map((_, index) => `<xf numFmtId="${164 + index}" xfId="0"/>`);
  return `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts>${formats.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`;
}

function workbookXml({ sheets, date1904 }: BookSpec): string {
  const list = sheets.map(
    ({ name, state }, index) =>
      `<sheet name="${escapeXml(name)}" sheetId="${index + 1}"${state ? ` state="${state}"` : ''} r:id="rId${index + 1}"/>`,
  );
  const properties = date1904 === undefined ? '' : `<workbookPr date1904="${date1904 ? 1 : 0}"/>`;
  return `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${properties}<sheets>${list.join('')}</sheets></workbook>`;
}

function relationsXml(relations: readonly (readonly [id: string, type: string, target: string])[]): string {
  const list = relations.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${HEAD}<Relationships xmlns="${PACKAGE}">${list.join('')}</Relationships>`;
}

function partsOf(book: BookSpec): Packed[] {
  const { sheets, formats, strings } = book;
  const worksheets = sheets.map(
    (_, index) => [`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`] as const,
  );
  const relations = [
    ...worksheets,
    ...(formats ? [['rIdS', 'styles', 'styles.xml'] as const] : []),
    ...(strings ? [['rIdT', 'sharedStrings', 'sharedStrings.xml'] as const] : []),
  ];
  return [
    {
      name: '[Content_Types].xml',
      data: `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    },
    { name: '_rels/.rels', data: relationsXml([['rId1', 'officeDocument', 'xl/workbook.xml']]) },
    { name: 'xl/workbook.xml', data: workbookXml(book) },
    { name: 'xl/_rels/workbook.xml.rels', data: relationsXml(relations) },
    ...(formats ? [{ name: 'xl/styles.xml', data: stylesXml(formats) }] : []),
    ...(strings
      ? [
          {
            name: 'xl/sharedStrings.xml',
            data: `${HEAD}<sst xmlns="${MAIN}">${strings.map((si) => `<si>${si}</si>`).join('')}</sst>`,
          },
        ]
      : []),
    ...sheets.map((sheet, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      data: sheet.part ?? sheetXml(sheet),
    })),
  ];
}

export function xlsx(book: BookSpec): Buffer {
  const own = book.parts ?? [];
  const written = partsOf(book).filter(({ name }) => !own.some((part) => part.name === name));
  return zip(...written, ...own);
}

/** One sheet with these rows. */
export const oneSheet = (rows: SheetSpec['rows'], book: Omit<BookSpec, 'sheets'> = {}): Buffer =>
  xlsx({ ...book, sheets: [{ name: 'Sheet1', rows: rows ?? [] }] });
