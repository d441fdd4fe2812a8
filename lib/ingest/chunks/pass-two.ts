// Pass two: each chunk becomes a Parquet part with the final types, several side by side.
import { mkdtemp, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../../core/remove-folder.ts';
import { must } from '../../core/check.ts';
import type { Objects } from '../../core/objects.ts';
import { type Engine, withEngine } from '../engine/engine.ts';
import { findRejects } from '../rejects/find-rejects.ts';
import type { Reject } from '../rejects/reject.ts';
import { putPart } from '../stages/place.ts';
import { questionsOf } from '../typing/questions.ts';
import type { TextTable } from '../typing/relation.ts';
import { answerQuestions } from '../typing/report.ts';
import { macros } from '../typing/rungs.ts';
import { rowsWritten } from '../typing/type-table.ts';
import { withoutMisfits } from '../typing/without-misfits.ts';
import { writeTyped } from '../typing/write.ts';
import { type Layout, rowsOfChunk, textOf } from './chunk-rows.ts';
import { Contradiction, type Keeping, keepParts, type PartsWritten } from './kept-parts.ts';
import { localChunk } from './plain.ts';
import { type Chunk, type TablePlan, typingOf } from './plan.ts';
import { inTurn, shareOf } from './side-by-side.ts';
import type { WrittenPart } from './written-part.ts';

export interface PassTwo extends Keeping {
  readonly plan: TablePlan;
  /** The key of the part that this run writes of a chunk. */
  readonly keyOf: (place: number) => string;
  readonly workDir: string;
  /** Where pass one left chunks, if it ran here. */
  readonly left?: string | undefined;
}

async function writeTable(engine: Engine, plan: TablePlan, text: TextTable, target: string) {
  await engine.run(macros);
  const typing = typingOf(plan);
  const kept = await withoutMisfits(engine, text);
  const { table, leftOut } = kept;
  const written = await writeTyped(engine, table, typing.rungs, target);
  if (written.kind === 'contradicted' && plan.proven !== true) throw new Contradiction(written.column);
  rowsWritten(table, written);
  const asked = { questions: questionsOf(table, typing), rungs: typing.rungs, written: target };
  const answers = await answerQuestions(engine, table, asked);
  const { found: rejects } = await findRejects(engine, kept, asked, { answers, report: plan.report });
  return { rows: table.rows, answers, leftOut, rejects };
}

async function keepRejects(objects: Objects, part: string, rejects: readonly Reject[]): Promise<string> {
  const key = `${part}.rejects.json`;
  await objects.putOnce(key, JSON.stringify(rejects));
  return key;
}

interface Places {
  readonly layout: Layout;
  readonly workDir: string;
  /** The bytes of the chunk. */
  readonly path: string;
  /** The Parquet file. */
  readonly target: string;
}

/** Writes a chunk that is on the disk. */
async function writeChunk(pass: PassTwo, chunk: Chunk, { layout, workDir, path, target }: Places) {
  const { plan, signal, left, limits } = pass;
  const { all, linesOf, findBad: find } = await rowsOfChunk({ layout, chunk, path, left, workDir, limits, signal });
  const { columns, emptyIsNull, dateOrder } = plan;
  const file = layout.file?.name;
  const text: TextTable = {
    ...{ all, sample: all, sampleIsAll: true, columns, emptyIsNull, dateOrder, linesOf },
    ...{ rows: chunk.rows, bytes: chunk.end - chunk.start },
    ...(file !== undefined && { fileOf: () => file }),
    before: { rows: chunk.rowsBefore, lines: chunk.linesBefore },
    // All of them are counted in the plan.
    bad: chunk.bad === undefined ? undefined : { counts: {}, find },
  };
  return withEngine({ workDir, limits: shareOf(limits), signal }, (engine) => writeTable(engine, plan, text, target));
}

/** Its rejects, as they stand in the whole text. */
const moved = ({ rowsBefore, linesBefore }: Chunk, rejects: readonly Reject[]): Reject[] =>
  rejects.map(({ row, line, ...reject }) => ({
    ...reject,
    ...(row !== undefined && { row: row + rowsBefore }),
    ...(line !== undefined && { line: line + linesBefore }),
  }));

async function writePart(pass: PassTwo, place: number): Promise<WrittenPart> {
  const { objects, plan, signal, left } = pass;
  const chunk = must(plan.chunks[place], 'a chunk');
  const workDir = await mkdtemp(join(pass.workDir, 'part-'));
  const [path, target] = [join(workDir, 'chunk'), join(workDir, 'part.parquet')];
  try {
    const { plain, layout } = textOf(plan, chunk);
    await localChunk({ objects, plain, signal }, chunk, { left, path });
    const { rows, answers, leftOut, rejects } = await inTurn(pass.limits, () =>
      writeChunk(pass, chunk, { layout, workDir, path, target }),
    );
    signal.throwIfAborted();
    const key = pass.keyOf(place);
    const { size } = await stat(target);
    await putPart(objects, key, target, size);
    const found = rejects.length > 0 && { rejects: await keepRejects(objects, key, moved(chunk, rejects)) };
    return { part: { key, bytes: size, rows }, answers, leftOut, ...found };
  } finally {
    await removeFolder(workDir);
  }
}

/**
 * Writes the parts of some chunks, in their order, until one has a value that the plan did not foresee. `each` is told of every part that is
 * there.
 */
export const writeParts = (
  pass: PassTwo,
  places: readonly number[],
  each?: (part: WrittenPart) => void,
): Promise<PartsWritten> => keepParts(pass, places, writePart, each);
