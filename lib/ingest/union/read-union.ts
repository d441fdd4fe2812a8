// Several local files become one typed table: text is typed together, by the values of all files; what has types comes behind it, under types
// that keep the values of all.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { type Engine, withEngine } from '../engine/engine.ts';
import type { Column, ReadRequest } from '../reading/types.ts';
import type { Rejects } from '../rejects/reject.ts';
import { keepingTexts } from '../typing/relation.ts';
import { typeTable } from '../typing/type-table.ts';
import { inSomeFiles, requireFreeName } from './columns-of-files.ts';
import { mergeTables, type Part, type TypedTable } from './merge.ts';
import { type FilePieces, type Piece, piecesOf, type TextPiece } from './pieces.ts';
import { uniteTexts } from './unite-texts.ts';
import { warningsOfFiles } from './warnings-of-files.ts';

export interface UnionRequest extends Omit<ReadRequest, 'path' | 'name' | 'within' | 'entry'> {
  /** In the order of the rows. */
  readonly files: readonly Pick<ReadRequest, 'path' | 'name'>[];
  /** The name of a column that is to hold the name of the file. */
  readonly fileColumn?: string | undefined;
}

export interface UnionRead {
  readonly columns: readonly Column[];
  readonly rowCount: number;
  /** Inside `workDir`. */
  readonly parts: readonly Part[];
  readonly warnings: readonly Warning[];
  readonly rejects?: Rejects | undefined;
}

/** Faults: those of `readTable` and NOT_ONE_TABLE, each with the name of the file; COLUMN_MISFIT, OPTION_MISFIT, DECOMPRESSION_LIMIT. */
export async function readUnion(request: UnionRequest): Promise<UnionRead> {
  const files = await allPieces(request);
  const pieces = files.flatMap((file) => file.pieces);
  const columns = pieces.map((piece) => ({ file: piece.file, columns: columnsOf(piece) }));
  requireFreeName(request.fileColumn, columns);
  const { workDir, limits, signal } = request;
  return withEngine({ workDir, limits, signal }, async (engine) => {
    const typed = pieces.flatMap((piece) => (piece.kind === 'typed' ? [piece] : []));
    const tables: TypedTable[] = typed.map(({ file, read }) => ({
      ...{ file, columns: read.columns, path: read.parquetPath, rows: read.rowCount, fileColumn: request.fileColumn },
    }));
    const texts = pieces.flatMap((piece) => (piece.kind === 'text' ? [piece] : []));
    const text = texts.length === 0 ? undefined : await readTexts(engine, texts, tables, request);
    const merged = await mergeTables(engine, [...(text === undefined ? [] : [text.table]), ...tables], workDir);
    const warnings = [
      ...warningsOfFiles([
        ...files.map(wholeFile),
        ...typed.map(({ file, read }) => ({ file, warnings: read.warnings })),
      ]),
      ...(text?.warnings ?? []),
      ...merged.warnings,
      ...inSomeFiles(columns),
    ];
    const rowCount = merged.parts.reduce((total, { rows }) => total + rows, 0);
    const parts = merged.parts.filter(({ rows }, at) => rows > 0 || at === 0);
    return { columns: merged.columns, rowCount, parts, warnings, rejects: text?.rejects };
  });
}

async function allPieces({
  files,
  workDir,
  limits,
  ...request
}: UnionRequest): Promise<(FilePieces & { name: string })[]> {
  const found: (FilePieces & { name: string })[] = [];
  let bytes = 0;
  for (const [index, { path, name }] of files.entries()) {
    const folder = join(workDir, `file-${index}`);
    await mkdir(folder);
    const read = await piecesOf({ ...request, limits, path, name, workDir: folder });
    bytes += read.pieces.reduce((sum, piece) => sum + (piece.kind === 'text' ? piece.prepared.table.bytes : 0), 0);
    if (bytes > limits.maxDecompressedBytes)
      throw new Fault('DECOMPRESSION_LIMIT', `Together the files have more than ${limits.maxDecompressedBytes} bytes.`);
    found.push({ ...read, name });
  }
  return found;
}

const wholeFile = ({ name, warnings }: FilePieces & { readonly name: string }) => ({ file: name, warnings });

const columnsOf = (piece: Piece): readonly { readonly name: string }[] =>
  piece.kind === 'text' ? piece.prepared.table.columns : piece.read.columns;

/** Columns that another file says are text stay as they are written, as where rows are added to a table. */
async function readTexts(
  engine: Engine,
  pieces: readonly TextPiece[],
  typed: readonly TypedTable[],
  request: UnionRequest,
) {
  const { options = {}, limits, fileColumn, workDir, verbatim = [] } = request;
  const united = await uniteTexts(engine, pieces, { options, maxColumns: limits.maxColumns, fileColumn, workDir });
  const texts = typed.flatMap(({ columns }) =>
    columns.filter(({ type }) => type === 'VARCHAR').map(({ name }) => name),
  );
  const table = keepingTexts(united.table, [...verbatim, ...texts]);
  const path = join(workDir, 'texts.parquet');
  const result = await typeTable(engine, table, path, options);
  const columns = table.columns.map(({ name }, index) => ({ name, type: must(result.types[index], 'a type') }));
  const own = pieces.map(({ file, prepared }, at) => {
    const types = must(united.places[at], 'places').map((place) => must(result.types[place], 'a type'));
    return { file, warnings: prepared.warnings({ ...result, types, warnings: [] }) };
  });
  const first = must(pieces[0], 'a file').file;
  return {
    table: { file: first, columns, path, rows: result.rows },
    warnings: [...warningsOfFiles(own), ...united.warnings, ...result.warnings],
    rejects: result.rejects,
  };
}
