// The files that become one table, piece by piece: each is one table, or an archive of files that are. What a fault is about is said by the
// name of the file.
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { expand } from '../formats/compression/expand.ts';
import { detectFile } from '../formats/detect.ts';
import { isSheet } from '../formats/sheet-format.ts';
import { withEntry } from '../reading/archive.ts';
import { listTables } from '../reading/list-tables.ts';
import { type Prepared, prepareText } from '../reading/prepare.ts';
import { readTable } from '../reading/read-table.ts';
import type { FileFormat, ListedTable, ReadRequest, TableRead, TextFormat } from '../reading/types.ts';
import { inFile, withoutTypes } from './in-file.ts';

/** Rows of text, which are typed together with those of the other files. */
export interface TextPiece {
  readonly kind: 'text';
  readonly file: string;
  readonly prepared: Prepared;
}
/** Rows that have types already. */
export interface TypedPiece {
  readonly kind: 'typed';
  readonly file: string;
  readonly read: TableRead;
}
export type Piece = TextPiece | TypedPiece;

export interface FilePieces {
  readonly pieces: readonly Piece[];
  /** Of the file as a whole. */
  readonly warnings: readonly Warning[];
}

const isText = (format: FileFormat): format is TextFormat =>
  format === 'csv' || format === 'tsv' || format === 'json' || format === 'ndjson';

/** Reads the structure of one file into the folder of `request`. Faults: those of `readTable`, and NOT_ONE_TABLE. */
export function piecesOf(request: ReadRequest): Promise<FilePieces> {
  const { name } = request;
  return inFile(name, async () => {
    const { format, tables, warnings } = await listTables(request);
    requireOneEach(tables, format === 'archive');
    const pieces: Piece[] = [];
    for (const [index, table] of tables.entries()) {
      const workDir = join(request.workDir, `table-${index}`);
      await mkdir(workDir);
      const file = table.entry === undefined ? name : `${name}/${table.entry.name}`;
      pieces.push(await pieceOf({ ...request, workDir, options: withoutTypes(request.options ?? {}) }, table, file));
    }
    return { pieces, warnings };
  });
}

function requireOneEach(tables: readonly ListedTable[], isArchive: boolean): void {
  const files = new Set(tables.map(({ entry }) => entry?.index));
  if (files.size === tables.length) return;
  const what = isArchive ? 'A file of it' : 'It';
  throw new Fault('NOT_ONE_TABLE', `${what} holds several tables: ${tables.length} in all.`, {
    extra: { tables: tables.length },
  });
}

async function pieceOf(request: ReadRequest, { entry, within }: ListedTable, file: string): Promise<Piece> {
  const plain = entry === undefined ? request : await withEntry(request, entry, keptEntry);
  const asked = { ...plain, within };
  const { format, compression } = await detectFile({ ...asked, encoding: asked.options?.encoding });
  if (!isText(format) && !isSheet(format)) return { kind: 'typed', file, read: await readTable(asked) };
  const { path, workDir, limits, signal } = asked;
  const content = await expand({ path, compression }, { workDir, limits, signal });
  // What is packed takes room that the rest may need.
  if (content !== path) await rm(path);
  if (isText(format)) return { kind: 'text', file, prepared: await prepareText(asked, content, format) };
  // Loaded when it is needed: most files are text.
  const { prepareWorkbook } = await import('../sheets/read-workbook.ts');
  return { kind: 'text', file, prepared: await prepareWorkbook(asked, { path: content, format }) };
}

/** An entry goes when it was looked at; this one is read later. */
async function keptEntry(plain: ReadRequest): Promise<ReadRequest> {
  const path = join(plain.workDir, 'kept-entry');
  await rename(plain.path, path);
  return { ...plain, path };
}
