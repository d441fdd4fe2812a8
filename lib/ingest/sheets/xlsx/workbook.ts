// XLSX and XLSM: a package of XML parts, read as a stream.
import { damaged, openPackage, readXml } from '../package/parts.ts';
import type { Merge, Workbook, WorkbookSource } from '../types.ts';
import { readBook } from './book.ts';
import { sheetRows } from './rows.ts';
import { type KeptStrings, readSharedStrings } from './strings.ts';
import { readStyles } from './styles.ts';

/** Opens the workbook, to be closed by the caller. Faults: those of `openPackage`, PARSE_ERROR. */
export async function openXlsx({ path, workDir, limits, signal }: WorkbookSource): Promise<Workbook> {
  const source = await openPackage(path, limits);
  const options = { maxTokenCharacters: Math.min(limits.maxRecordBytes, limits.maxCellBytes), signal };
  let strings: KeptStrings | undefined;
  const close = async (): Promise<void> => {
    strings?.close();
    source.close();
  };
  try {
    const book = await readBook(source, options);
    const formatOf = await readStyles(source, book.stylesPart, options);
    return {
      sheets: book.sheets,
      close,
      read: async (index, visit) => {
        const sheet = book.sheets[index];
        if (sheet === undefined || !source.has(sheet.part)) throw damaged(`its sheet ${index + 1} is missing`);
        // Read with the first sheet: a list of sheets needs none.
        strings ??= await readSharedStrings(source, book.stringsPart, workDir, options);
        const merges: Merge[] = [];
        await readXml(source, sheet.part, sheetRows({ strings, formatOf, dates: book.dates }, visit, merges), options);
        return merges;
      },
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}
