// What is to be said of the names of columns, where several files are one table.
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { sameName } from '../reading/names.ts';
import { warn } from '../warnings.ts';

interface ColumnsOfFile {
  readonly file: string;
  readonly columns: readonly { readonly name: string }[];
}

/** Throws the Fault OPTION_MISFIT where a file has a column that is called as the one that is to hold the name of the file. */
export function requireFreeName(fileColumn: string | undefined, files: readonly ColumnsOfFile[]): void {
  if (fileColumn === undefined) return;
  const taken = files.find(({ columns }) => columns.some(({ name }) => sameName(name) === sameName(fileColumn)));
  if (taken === undefined) return;
  const detail = `The file ${JSON.stringify(taken.file)} has a column ${JSON.stringify(fileColumn)} of its own.`;
  throw new Fault('OPTION_MISFIT', detail, { extra: { option: 'fileColumn', file: taken.file } });
}

/** Of each column that some files lack: how many, and one of them. */
export function inSomeFiles(files: readonly ColumnsOfFile[]): Warning[] {
  const having = new Map<string, { readonly name: string; readonly files: Set<ColumnsOfFile> }>();
  for (const file of files)
    for (const { name } of file.columns) {
      const known = having.get(sameName(name)) ?? { name, files: new Set() };
      known.files.add(file);
      having.set(sameName(name), known);
    }
  return [...having.values()].flatMap(({ name, files: those }) => {
    const lacking = files.filter((file) => !those.has(file));
    const [first] = lacking;
    if (first === undefined) return [];
    return [warn('COLUMN_IN_SOME_FILES', { column: name, count: lacking.length, example: first.file })];
  });
}
