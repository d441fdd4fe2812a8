// What is done to chunks of row groups: each becomes a part of the table, or is asked what it would lose.
import { mkdtemp, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { removeFolder } from '../../../core/remove-folder.ts';
import { must } from '../../../core/check.ts';
import { Fault } from '../../../core/fault.ts';
import type { DatasetId, TableId } from '../../../core/ids.ts';
import type { Objects } from '../../../core/objects.ts';
import type { StageContext } from '../../../pipeline/stage.ts';
import type { ChunkResult } from '../../chunks/chunk-input.ts';
import { Contradiction, type Keeping, keepParts, partName } from '../../chunks/kept-parts.ts';
import { inTurn, shareOf, sideBySide } from '../../chunks/side-by-side.ts';
import type { Work } from '../../chunks/work-everywhere.ts';
import type { WrittenPart } from '../../chunks/written-part.ts';
import type { ReadLimits } from '../../reading/types.ts';
import { attemptKey, freshFolder, putPart } from '../../stages/place.ts';
import { adoptSome, lossesIn } from '../adopt.ts';
import { bothLosses, type Loss } from '../loss.ts';
import { localGroups } from './local-groups.ts';
import { type GroupChunk, type GroupsPlan, textsOf } from './plan.ts';

export interface PlannedGroups {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly dataset: DatasetId;
  readonly table: TableId;
  /** Of the plan. */
  readonly key: string;
  readonly plan: GroupsPlan;
}

interface Pass extends Keeping {
  readonly plan: GroupsPlan;
  /** The key of the part that this run writes of a chunk. */
  readonly keyOf: (place: number) => string;
  readonly workDir: string;
}

interface Local {
  readonly workDir: string;
  readonly path: string;
  readonly target: string;
}

/** A chunk as a file of its own, which goes with its folder when `use` has ended. */
async function withChunk<T>(pass: Pass, chunk: GroupChunk, use: (local: Local) => Promise<T>): Promise<T> {
  const { objects, plan, signal } = pass;
  const { file, before, behind } = plan;
  const workDir = await mkdtemp(join(pass.workDir, 'groups-'));
  const path = join(workDir, 'chunk.parquet');
  try {
    await localGroups({ objects, file, before, behind, signal }, chunk, path);
    return await use({ workDir, path, target: join(workDir, 'part.parquet') });
  } finally {
    await removeFolder(workDir);
  }
}

const writePart = (pass: Pass, place: number): Promise<WrittenPart> => {
  const { objects, plan, signal, limits } = pass;
  const chunk = must(plan.chunks[place], 'a chunk');
  return withChunk(pass, chunk, async (local) => {
    const how = { rowsBefore: chunk.rowsBefore, asText: textsOf(plan), isProven: plan.proven === true };
    const adopted = await inTurn(limits, () => adoptSome({ ...local, ...how, limits: shareOf(limits), signal }));
    if (adopted.kind === 'contradicted') throw new Contradiction(adopted.column);
    if (!isDeepStrictEqual(adopted.columns, plan.columns))
      throw new Fault('INTERNAL', 'Row groups of one file are read with other columns.');
    signal.throwIfAborted();
    const key = pass.keyOf(place);
    const { size } = await stat(local.target);
    await putPart(objects, key, local.target, size);
    return { part: { key, bytes: size, rows: adopted.rowCount }, answers: [], leftOut: { count: 0 } };
  });
};

/** What the chunks at some places lose together, by column. */
async function findLosses(
  pass: Pass,
  places: readonly number[],
  each: (place: number) => void,
): Promise<Map<number, Loss>> {
  const { limits, plan, signal: outer } = pass;
  const turns = { atOnce: limits.chunksAtOnce, signal: outer };
  const found = await sideBySide(places, turns, async (place, signal) => {
    const chunk = must(plan.chunks[place], 'a chunk');
    const losses = await withChunk({ ...pass, signal }, chunk, (local) =>
      inTurn(limits, () => lossesIn({ ...local, rowsBefore: chunk.rowsBefore, limits: shareOf(limits), signal })),
    );
    each(place);
    return losses;
  });
  return sumOfLosses(
    found.map((losses) => losses.flatMap((loss, place) => (loss === undefined ? [] : [[place, loss]]))),
  );
}

type LossesOf = readonly (readonly [number, Loss])[];

/** `stretches`: in the order of the rows. */
export function sumOfLosses(stretches: readonly LossesOf[]): Map<number, Loss> {
  const sum = new Map<number, Loss>();
  for (const [place, loss] of stretches.flat()) sum.set(place, bothLosses(sum.get(place), loss));
  return new Map([...sum].sort(([one], [other]) => one - other));
}

/**
 * Large row groups are worked on one by one: a page may be nearly as large as its row group, and is in memory as a whole. A chunk that is larger than
 * is usual has the disk of the invocation to itself, too.
 */
const limitsFor = ({ chunks }: GroupsPlan, limits: ReadLimits): ReadLimits =>
  chunks.some(({ bytes, groups }) => bytes > groups * limits.chunkBytes || bytes > limits.groupBytes)
    ? { ...limits, chunksAtOnce: 1 }
    : limits;

/** Works on chunks side by side, and once more on those that are left one by one where the memory of one is too small for that. */
async function withRoom<T>(pass: Pass, work: (pass: Pass) => Promise<T>): Promise<T> {
  try {
    return await work(pass);
  } catch (thrown) {
    const isMemory = thrown instanceof Fault && thrown.code === 'INGEST_MEMORY';
    if (!isMemory || pass.limits.chunksAtOnce <= 1) throw thrown;
    return work({ ...pass, limits: { ...pass.limits, chunksAtOnce: 1 } });
  }
}

/** Writes some chunks of a plan, or asks what they lose where `count` is given. Faults: those of `adoptSome`, INPUT_UNREADABLE. */
export async function workOnGroups(ctx: StageContext, planned: PlannedGroups, work: Work): Promise<ChunkResult> {
  const { objects, plan, key, dataset, table } = planned;
  const places = Array.from({ length: work.to - work.from }, (_, index) => work.from + index);
  const done = new Set<number>();
  const each = (place: number): void =>
    ctx.progress(done.add(place).size, places.length, work.count === undefined ? 'write' : 'count');
  const pass: Pass = {
    ...{ objects, plan, limits: limitsFor(plan, planned.limits), signal: ctx.signal },
    kept: key.replace(/\.json$/, ''),
    keyOf: (place) => attemptKey(ctx, dataset, table, partName(place, plan)),
    workDir: await freshFolder(ctx, 'parts'),
  };
  if (work.count !== undefined)
    return { parts: [], losses: [...(await withRoom(pass, (roomy) => findLosses(roomy, places, each)))] };
  const written = await withRoom(pass, (roomy) => keepParts(roomy, places, writePart, (_, place) => each(place)));
  return written.kind === 'written' ? { parts: [...written.parts] } : { parts: [], contradicted: written.column };
}
