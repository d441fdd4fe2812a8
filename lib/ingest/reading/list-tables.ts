// Which tables a file holds: one in most, each array of objects below a key of a JSON object, each section of the sheets of a workbook. They are named before they are read, since each
// draws its sequence when the file is received.
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expand } from '../formats/compression/expand.ts';
import { contentOf } from '../formats/content.ts';
import { detectFile } from '../formats/detect.ts';
import { splitName, tableNameOf } from '../formats/extensions.ts';
import { headOf } from '../formats/head.ts';
import { plainText } from '../formats/plain.ts';
import { isSheet } from '../formats/sheet-format.ts';
import { findAtPath } from '../json/at-path.ts';
import { findSections } from '../json/sections.ts';
import { requireFitting } from '../options.ts';
import { type Archive, archiveOf, entryOf, ownNames, requireBounded, skippedWarning, withEntry } from './archive.ts';
import { listSheets } from '../sheets/list-sheets.ts';
import { named, namesBelow, requireFew, tablesOfSections } from './name-tables.ts';
import type { FileFormat, ListedFile, ListedTable, ReadRequest } from './types.ts';

/**
 * Reads as much of the file as it takes. `as` names the table, or begins the names of several: one table has the name of the file,
 * several have its name, two underscores and their own. Faults: those of `readTable` that concern the whole file, and TOO_MANY_TABLES and OPTION_MISFIT.
 */
export async function listTables(request: ReadRequest, as?: string): Promise<ListedFile> {
  const archive = await archiveOf(request);
  return archive === undefined ? listFile(request, as) : listArchive(archive, request, as);
}

/** The tables of all files of an archive; of one with a single file, they are that file's. */
async function listArchive({ files, skipped }: Archive, request: ReadRequest, as?: string): Promise<ListedFile> {
  const left = skipped.length === 0 ? [] : [skippedWarning(skipped)];
  if (files.length <= 1) {
    const listed = await listFile(request, as);
    return { ...listed, warnings: [...left, ...listed.warnings] };
  }
  requireFew(files.length);
  requireBounded(files, request.limits, (await stat(request.path)).size);
  const found: (ListedTable & { readonly own: string })[] = [];
  const warnings = [...left];
  for (const file of ownNames(files)) {
    const listed = await withEntry(request, file, (plain) => listFile(plain, file.own));
    const format = listed.format as FileFormat;
    for (const table of listed.tables) found.push({ ...table, own: table.name, entry: { ...entryOf(file), format } });
    warnings.push(...listed.warnings);
  }
  requireFew(found.length);
  const base = as ?? tableNameOf(splitName(request.name).stem);
  const names = namesBelow(
    base,
    found.map(({ own }) => own),
  );
  const tables = found.map(({ own: _own, ...table }, index) => ({ ...table, name: names[index] ?? base }));
  return { format: 'archive', compression: 'zip', tables, warnings };
}

/** The tables of one file. */
async function listFile(request: ReadRequest, as?: string): Promise<ListedFile> {
  const { path, name, workDir, limits, signal } = request;
  const { format, compression, tableName } = await detectFile({ name, path, encoding: request.options?.encoding });
  requireFitting(format, request.options ?? {});
  const base = as ?? tableName;
  const whole = { format, compression, tables: [{ name: base }], warnings: [] };
  if (format !== 'json' && !isSheet(format)) return whole;
  try {
    const plain = await expand({ path, compression }, { workDir, limits, signal });
    if (isSheet(format)) {
      const { tables, warnings } = await listSheets(
        { path: plain, format, workDir, limits, signal },
        request.options ?? {},
      );
      return { ...whole, tables: named(base, tables), warnings };
    }
    const { jsonPath } = request.options ?? {};
    if (jsonPath === undefined && contentOf(await headOf(plain)) !== 'JSON object') return whole;
    const text = await plainText(plain, workDir, { signal, encoding: request.options?.encoding });
    const source = { path: text.path, start: text.start, maxRecordBytes: limits.maxRecordBytes, signal };
    if (jsonPath === undefined) return { ...whole, ...tablesOfSections(await findSections(source), base, text.start) };
    return { ...whole, tables: [{ name: base, within: await findAtPath(source, jsonPath) }] };
  } finally {
    await Promise.all(['plain', 'utf8', 'strings'].map((file) => rm(join(workDir, file), { force: true })));
  }
}
