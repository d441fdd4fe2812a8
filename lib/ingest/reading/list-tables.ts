// Which tables a file holds: one in most, each array of objects below a key of a JSON object, each section of the sheets of a workbook. They are named before they are read, since each
// draws its sequence when the file is received.
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../core/fault.ts';
import { MAX_PUBLICATIONS } from '../../job/ports.ts';
import { expand } from '../formats/compression/expand.ts';
import { contentOf } from '../formats/content.ts';
import { detectFile } from '../formats/detect.ts';
import { splitName, tableNameOf } from '../formats/extensions.ts';
import { parseError } from '../formats/place.ts';
import { headOf } from '../formats/head.ts';
import { plainText } from '../formats/plain.ts';
import { isSheet } from '../formats/sheet-format.ts';
import { findAtPath } from '../json/at-path.ts';
import { findSections } from '../json/sections.ts';
import { requireFitting } from '../options.ts';
import { warn } from '../warnings.ts';
import { type Archive, archiveOf, entryOf, ownNames, requireBounded, skippedWarning, withEntry } from './archive.ts';
import { listSheets } from '../sheets/list-sheets.ts';
import type { FileFormat, ListedFile, ListedTable, ReadRequest, Within } from './types.ts';

/** Keys that a warning names. */
const NAMED_KEYS = 5;
const NAME_CHARACTERS = 128;

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

function requireFew(tables: number): void {
  if (tables <= MAX_PUBLICATIONS) return;
  throw new Fault('TOO_MANY_TABLES', `The file holds ${tables} tables; the limit is ${MAX_PUBLICATIONS}.`, {
    extra: { tables, limit: MAX_PUBLICATIONS },
  });
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
    if (jsonPath === undefined) return { ...whole, ...(await sectionsOf(source, base)) };
    return { ...whole, tables: [{ name: base, within: await findAtPath(source, jsonPath) }] };
  } finally {
    await Promise.all(['plain', 'utf8', 'strings'].map((file) => rm(join(workDir, file), { force: true })));
  }
}

async function sectionsOf(
  source: Parameters<typeof findSections>[0],
  base: string,
): Promise<Pick<ListedFile, 'tables' | 'warnings'>> {
  const { tables: found, others } = await findSections(source);
  if (found.length === 0) {
    const what = 'the file is one object without an array of objects in it; a table is an array of objects';
    throw await parseError(source, source.start, `${what}, or NDJSON (.ndjson) with one on each line.`);
  }
  const tables = named(
    base,
    found.map((within) => ({ own: within.key, within })),
  );
  return { tables, warnings: others.length === 0 ? [] : [leftOut(others)] };
}

/** One table has the name of the file, several have it and their own. Throws the Fault TOO_MANY_TABLES. */
function named(base: string, found: readonly { readonly own: string; readonly within: Within }[]): ListedTable[] {
  requireFew(found.length);
  const own = found.map((each) => each.own);
  const names = found.length === 1 ? [base] : namesBelow(base, own);
  return found.map(({ within }, index) => ({ name: names[index] ?? base, within }));
}

function leftOut(keys: readonly string[]) {
  const named = keys.slice(0, NAMED_KEYS).map((key) => JSON.stringify(key.slice(0, NAME_CHARACTERS)));
  const detail = `They are ${named.join(', ')}${keys.length > NAMED_KEYS ? ' and more' : ''}.`;
  return warn('KEYS_LEFT_OUT', { count: keys.length, detail });
}

/** `base__name` each, as identifiers; those that only differ in what an identifier loses are numbered. */
function namesBelow(base: string, own: readonly string[]): string[] {
  const taken = new Set<string>();
  return own.map((name) => {
    const stem = `${base}__${tableNameOf(name)}`;
    let given = stem.slice(0, NAME_CHARACTERS);
    for (let number = 2; taken.has(given.toLowerCase()); number++) {
      const suffix = `_${number}`;
      given = `${stem.slice(0, NAME_CHARACTERS - suffix.length)}${suffix}`;
    }
    taken.add(given.toLowerCase());
    return given;
  });
}
