// What must hold when a run is over.
import type { JobRef } from '../../core/ids.ts';
import { isTerminal } from '../../job/status.ts';
import type { MemoryChange } from '../memory/state.ts';
import { scope } from './names.ts';
import type { World } from './world.ts';

export function judgeEnd(world: World): void {
  if (world.oracle.violation() !== undefined) return;
  for (const id of world.promised)
    if (!world.refs.some((ref) => String(ref.id) === id)) world.oracle.break('a job that was promised was lost', id);
  for (const ref of world.refs) {
    const row = world.store.row(ref);
    if (row === undefined && world.forgotten.has(String(ref.id))) continue;
    if (row === undefined) world.oracle.break('a job was lost', ref.id);
    else if (!isTerminal(row.status)) world.oracle.break('a job did not end', `${row.id} is ${row.status}`);
    else if (row.owes !== undefined) world.oracle.break('a job still owes', row.id);
  }
  if (!world.stream.isDrained()) world.oracle.break('the relay did not come to the end of the stream');
  for (const ref of world.refs) judgeEvents(world, ref);
  judgeOwed(world);
  const broken = world.options.check?.(
    world.refs.flatMap((ref) => (ref.tenant === scope.tenant ? (world.store.row(ref) ?? []) : [])),
  );
  if (broken !== undefined) world.oracle.break(broken);
  world.beside.judgeEnd();
}

/** What a success owed was made, once. */
function judgeOwed({ store, oracle }: World): void {
  for (const { after, write } of store.changes) {
    if (write.name !== 'succeed' || after.owes === undefined) continue;
    const made = store.changes.filter(
      (change) => change.write.name === 'submit' && String(change.after.id) === after.owes,
    );
    if (made.length !== 1) oracle.break('what a success owed was not made once', `${after.id} owed ${after.owes}`);
  }
}

/** Every loud change is told once, as what it was, and nothing else is told. */
function judgeEvents({ store, oracle }: World, ref: JobRef): void {
  const changes = store.changes.filter(({ after }) => after.id === ref.id);
  const told = new Map(store.eventsInMemory(ref).map((event) => [`${event.createdAt}/${event.version}`, event]));
  const loud = changes.filter(({ before, after }) => before?.version !== after.version);
  for (const change of loud) {
    const event = told.get(keyOf(change));
    if (event === undefined) oracle.break('a change was never told', `${change.write.name} of ${ref.id}`);
    else if (event.rule !== change.write.name || event.status !== change.after.status)
      oracle.break('a change was told as another', `${change.write.name} of ${ref.id}`);
  }
  if (told.size > loud.length) oracle.break('something was told that never happened', ref.id);
}

const keyOf = ({ after }: MemoryChange): string => `${after.createdAt}/${after.version}`;
