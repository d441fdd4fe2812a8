// What several files of one table have that their reports name: records that are no rows, and cells without a value.
import type { Reject } from '../rejects/reject.ts';
import type { BadRecords, TextTable } from '../typing/relation.ts';
import type { TextPiece } from './pieces.ts';

/** How many there are of each reason, of all files. */
export function addCounts(files: readonly BadRecords['counts'][]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [reason, count] of files.flatMap((one) => Object.entries(one)))
    counts[reason] = (counts[reason] ?? 0) + count;
  return counts;
}

/** Records that are no rows, of all files. */
export function badOf(pieces: readonly TextPiece[]): TextTable['bad'] {
  const having = pieces.flatMap(({ file, prepared: { table } }) => (table.bad ? [{ file, bad: table.bad }] : []));
  if (having.length === 0) return undefined;
  const counts = addCounts(having.map(({ bad }) => bad.counts));
  const find = async () => {
    const found = await Promise.all(
      having.map(async ({ file, bad }) => (await bad.find()).map((one) => ({ ...one, file }))),
    );
    return found.flat();
  };
  return { counts, find };
}

/** Cells without a value, of all files, with the rows and the columns that they have in the table. */
export function badCellsOf(
  pieces: readonly TextPiece[],
  nameOf: (piece: number, column: number) => string,
): TextTable['badCells'] {
  const counts = addCounts(
    pieces.flatMap(({ prepared: { table } }) => (table.badCells ? [table.badCells.counts] : [])),
  );
  if (Object.keys(counts).length === 0) return undefined;
  const find = async () => {
    const found: Reject[] = [];
    let before = 0;
    for (const [piece, { prepared }] of pieces.entries()) {
      const { badCells, columns, rows } = prepared.table;
      for (const { row = 0, column, ...one } of (await badCells?.find()) ?? []) {
        const own = columns.findIndex(({ name }) => name === column);
        found.push({ ...one, row: before + row, column: nameOf(piece, own) });
      }
      before += rows;
    }
    return found;
  };
  return { counts, find };
}
