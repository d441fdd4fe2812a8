// A stage that is committed is not run again, unless an operator has the run begin before it: then it begins with the stage that was asked for.
import type { JobRef } from '../../core/ids.ts';
import type { JobRow } from '../../job/row.ts';
import type { MemoryChange } from '../memory/state.ts';
import type { World } from './world.ts';

/** The stages that each job has committed, in their order, by its id. */
const books = new WeakMap<World, Map<string, readonly string[]>>();

function committedIn(world: World): Map<string, readonly string[]> {
  const book = books.get(world) ?? new Map<string, readonly string[]>();
  books.set(world, book);
  return book;
}

export function noteStages(world: World, { before, after, write }: MemoryChange): void {
  const committed = committedIn(world);
  const known = committed.get(after.id) ?? [];
  if (write.name === 'submit') committed.delete(after.id);
  else if (write.name === 'redrive') committed.set(after.id, known.slice(0, known.indexOf(after.stage ?? '') + 1));
  else if (after.stage !== undefined && after.stage !== before?.stage) committed.set(after.id, [...known, after.stage]);
}

/** A stage begins to run; that of a process which has lost the job meanwhile counts for nothing. */
export function judgeStage(world: World, ref: JobRef, epoch: number, stage: string): void {
  const row = world.store.row(ref);
  if (row?.status !== 'running' || row.epoch !== epoch) return;
  if (committedIn(world).get(row.id)?.includes(stage) === true)
    world.oracle.break('a stage was run again that was committed', `${stage} of ${row.id}`);
}

/** The row as the redrive left it stands at the stage before the one that was asked for. */
export function judgeRestart(world: World, row: JobRow, stageBefore: string | undefined): void {
  if (row.rule === 'redrive' && row.stage !== stageBefore)
    world.oracle.break('a restarted run begins elsewhere than was asked', `${row.id} after ${row.stage ?? 'nothing'}`);
}
