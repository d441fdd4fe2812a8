// Pass two: each chunk becomes a Parquet part with the final types, several side by side. What is written is kept under the plan's name,
// whoever wrote it, so that no chunk is written twice.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../../core/check.ts';
import type { Objects } from '../../core/objects.ts';
import { type Engine, withEngine } from '../engine/engine.ts';
import type { ReadLimits } from '../reading/types.ts';
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
import { localChunk } from './plain.ts';
import { type Chunk, type TablePlan, typingOf } from './plan.ts';
import { atHand, inTurn, shareOf, sideBySide, whileAtHand } from './side-by-side.ts';
import { type WrittenPart, writtenPart } from './written-part.ts';

export interface PassTwo {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly plan: TablePlan;
  /** The key below which the plan's parts are kept. */
  readonly kept: string;
  /** The key of the part that this run writes of a chunk. */
  readonly keyOf: (place: number) => string;
  readonly workDir: string;
  /** Where pass one left chunks, if it ran here. */
  readonly left?: string | undefined;
  readonly signal: AbortSignal;
}

const numbered = (place: number): string => String(place).padStart(5, '0');
/** Of one attempt, what the first plan wrote may stand beside what the proven one writes. */
export const partName = (place: number, { proven = false }: Pick<TablePlan, 'proven'>): string =>
  `${proven ? 'proven' : 'part'}-${numbered(place)}.parquet`;

/** What was kept of a chunk, by whichever run. */
async function readKept({ objects, kept }: PassTwo, place: number): Promise<WrittenPart | undefined> {
  const bytes = await objects.get(`${kept}/${numbered(place)}.json`);
  return bytes && writtenPart.parse(JSON.parse(Buffer.from(bytes).toString()));
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
    await rm(workDir, { recursive: true, force: true });
  }
}

/** The part of a chunk, written unless it is there. The first to be kept counts, for every run. */
async function keptPart(pass: PassTwo, place: number): Promise<WrittenPart> {
  const known = await readKept(pass, place);
  if (known !== undefined) return known;
  const written = await writePart(pass, place);
  const key = `${pass.kept}/${numbered(place)}.json`;
  if ((await pass.objects.putOnce(key, JSON.stringify(written))) === 'written') return written;
  return must(await readKept(pass, place), 'what was kept');
}

/** A value does not fit the type that the sample promised its column. */
class Contradiction extends Error {
  readonly column: number;

  constructor(column: number) {
    super(`column ${column + 1} holds what the sample did not show`);
    this.column = column;
  }
}

export type PartsWritten =
  | { readonly kind: 'written'; readonly parts: readonly WrittenPart[] }
  | { readonly kind: 'contradicted'; readonly column: number };

/**
 * Writes the parts of some chunks, in their order, until one has a value that the plan did not foresee. `each` is told of every part that is
 * there.
 */
export async function writeParts(
  pass: PassTwo,
  places: readonly number[],
  each: (part: WrittenPart) => void = () => undefined,
): Promise<PartsWritten> {
  try {
    const turns = { atOnce: atHand(pass.limits), signal: pass.signal };
    const parts = await sideBySide(places, turns, async (place, signal) => {
      const part = await whileAtHand(pass.limits, () => keptPart({ ...pass, signal }, place));
      each(part);
      return part;
    });
    return { kind: 'written', parts };
  } catch (thrown) {
    if (thrown instanceof Contradiction) return { kind: 'contradicted', column: thrown.column };
    throw thrown;
  }
}
