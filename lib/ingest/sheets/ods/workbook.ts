// ODS: one part of XML holds all sheets. It is read as a stream, once to learn their names, and once more for each reading of a sheet.
import { Fault } from '../../../core/fault.ts';
import { damaged, openPackage, type Package, readXml } from '../package/parts.ts';
import type { Merge, SheetInfo, Workbook, WorkbookSource } from '../types.ts';
import { attributesOf } from '../xml/text.ts';
import { sheetRows } from './rows.ts';

const CONTENT = 'content.xml';
const MANIFEST = 'META-INF/manifest.xml';

interface Options {
  readonly maxTokenCharacters: number;
  readonly signal?: AbortSignal | undefined;
}

const nothing = (): void => undefined;

async function requireOpen(source: Package, options: Options): Promise<void> {
  if (!source.has(MANIFEST)) return;
  const names = new Set<string>();
  const open = (name: string): void => {
    if (name === 'encryption-data') names.add(name);
  };
  await readXml(source, MANIFEST, { open, close: nothing, text: nothing, literal: nothing }, options);
  if (names.size > 0) throw new Fault('WORKBOOK_ENCRYPTED', 'Its parts are encrypted.');
}

async function sheetsOf(source: Package, options: Options): Promise<SheetInfo[]> {
  const sheets: SheetInfo[] = [];
  const hidden = new Set<string>();
  let style = '';
  let depth = 0;
  const open = (tag: string, raw: string): void => {
    if (tag === 'style') style = attributesOf(raw)['name'] ?? '';
    if (tag === 'table-properties' && attributesOf(raw)['display'] === 'false') hidden.add(style);
    if (tag !== 'table' || ++depth > 1) return;
    const { name = '', 'style-name': own = '' } = attributesOf(raw);
    sheets.push({ name, isHidden: hidden.has(own) });
  };
  const close = (tag: string): void => {
    if (tag === 'table') depth--;
  };
  await readXml(source, CONTENT, { open, close, text: nothing, literal: nothing }, options);
  return sheets;
}

/** Opens the workbook, to be closed by the caller. Faults: those of `openPackage`, WORKBOOK_ENCRYPTED, PARSE_ERROR. */
export async function openOds({ path, limits, signal }: WorkbookSource): Promise<Workbook> {
  const source = await openPackage(path, limits);
  const options = { maxTokenCharacters: Math.min(limits.maxRecordBytes, limits.maxCellBytes), signal };
  try {
    await requireOpen(source, options);
    if (!source.has(CONTENT)) throw damaged('it has no content');
    const sheets = await sheetsOf(source, options);
    return {
      sheets,
      close: async () => source.close(),
      read: async (index, visit) => {
        const merges: Merge[] = [];
        await readXml(source, CONTENT, sheetRows(index, { visit, merges, maxBytes: source.maxBytes }), options);
        return merges;
      },
    };
  } catch (thrown) {
    source.close();
    throw thrown;
  }
}
