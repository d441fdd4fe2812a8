// Makes the world of one run.
import { epochMs } from '../../core/time.ts';
import { type JobRow, refOf } from '../../job/row.ts';
import { createMemoryObjects } from '../memory-objects.ts';
import { dueFamilies } from '../../job/side/side.ts';
import type { MemoryChange, SideChange } from '../memory/state.ts';
import { createMemoryStore } from '../memory-store.ts';
import { createActor, type Role } from './actor.ts';
import { createBesideLaws } from './beside-laws.ts';
import { hit } from './coverage.ts';
import { createDraws, type Draws } from './draws.ts';
import { faultsOf } from './faults.ts';
import { createIndexView } from './index-view.ts';
import { createLoop, type Loop } from './loop.ts';
import { createNetwork, type NetworkDeps } from './network.ts';
import { createOracle } from './oracle.ts';
import { judgePublished } from './published.ts';
import { createQueue } from './queue.ts';
import { noteStages } from './stage-laws.ts';
import { createStream } from './stream.ts';
import { settingsOf } from './settings.ts';
import { ring } from './ring.ts';
import { short, shortId } from './short.ts';
import { START } from './start.ts';
import { strike } from './strike.ts';
import { judgeTransparent } from './transparent.ts';
import type { SimulationOptions, World } from './world.ts';

/** Ms after its expiry. */
const LATEST_EXPIRY = 1_200_000;

export function createWorld(options: SimulationOptions): World {
  const draws = createDraws(options.seed, options.keep);
  const faults = options.faults ?? faultsOf(draws);
  const settings = settingsOf(draws);
  const loop = createLoop(START, (actor, now) => strike(world, actor, now));
  const suffered: NetworkDeps['suffered'] = (actor, { what, rules, job }, fault) => {
    if (options.traced === true)
      world.note(actor, `${fault}: ${what}${job === undefined ? '' : ` of ${shortId(job)}`}`);
    world.suffers(fault, rules ?? []);
  };
  const world: World = {
    options,
    faults,
    settings,
    draws,
    loop,
    network: createNetwork({ loop, faults, suffered }),
    ...bookKeeping(options, draws, loop),
    ...storesOf(() => world, options, { draws, faults, settings, loop }),
    newActor: actorsOf(() => world),
    queue: createQueue(
      () => world.draw('queue'),
      () => loop.now(),
    ),
    published: (ref, publications, superseded) => judgePublished(world, ref, publications, superseded),
    ring: (actor, bell, lane, delay) => ring(world, actor, bell, lane, delay),
  };
  return world;
}

type Stores = 'oracle' | 'beside' | 'store' | 'index' | 'stream' | 'objects';
type Books = Exclude<
  keyof World,
  | Stores
  | 'options'
  | 'faults'
  | 'settings'
  | 'draws'
  | 'loop'
  | 'network'
  | 'queue'
  | 'published'
  | 'ring'
  | 'newActor'
>;

/** Processes are counted by what they do; each runs the release of the moment. */
function actorsOf(world: () => World): World['newActor'] {
  const counts = new Map<Role, number>();
  return (role) => {
    const count = (counts.get(role) ?? 0) + 1;
    counts.set(role, count);
    const { draws, faults, release } = world();
    return createActor(draws, role, count, { skew: faults.skew, release });
  };
}

function storesOf(
  world: () => World,
  options: SimulationOptions,
  deps: Pick<World, 'draws' | 'faults' | 'settings' | 'loop'>,
): Pick<World, Stores> {
  const { draws, faults, settings, loop } = deps;
  const oracle = createOracle();
  const beside = createBesideLaws((law, detail) => oracle.break(law, detail), settings.tenantCap);
  return {
    oracle,
    beside,
    store: createMemoryStore({
      clock: { now: () => epochMs(Math.floor(loop.now())) },
      rules: options.rules,
      parse: (row) => row as JobRow,
      applied: (change) => applied(world(), change),
      sideApplied: (change) => sideApplied(world(), change),
    }),
    index: createIndexView(() => loop.now()),
    stream: createStream({
      loop,
      faults,
      draw: draws.of('stream'),
      suffered: ({ rule }, fault) => world().suffers(fault, [rule]),
    }),
    objects: createMemoryObjects(),
  };
}

/** What is counted, noted and looked up in the course of a run. */
function bookKeeping(options: SimulationOptions, draws: Draws, loop: Loop): Pick<World, Books> {
  let hits = 0;
  const books: Pick<World, Books> = {
    coverage: {},
    trace: [],
    rung: new Map(),
    unheard: new Set(),
    senders: new Map(),
    submittedBy: new Map(),
    release: 0,
    acting: 0,
    refs: [],
    promised: new Set(),
    forgotten: new Set(),
    places: 0,
    draw: draws.of('world'),
    note: (actor, what) => {
      if (options.traced !== true) return;
      const at = ((loop.now() - START) / 1000).toFixed(3).padStart(10);
      books.trace.push(`${at} ${(actor?.name ?? '').padEnd(12)} ${what}`);
    },
    suffers: (fault, rules) => {
      hits += 1;
      for (const rule of rules) hit(books.coverage, rule, fault);
    },
    faultCount: () => hits,
  };
  return books;
}

function applied(world: World, change: MemoryChange): void {
  const { after, write } = change;
  if (world.options.traced === true) world.note(undefined, `${write.name} ${short(after)}`);
  world.index.changed(change);
  if (write.name === 'submit') known(world, after);
  world.stream.append({ before: change.before, after, rule: write.name });
  const rows = () => world.refs.flatMap((each) => world.store.row(each) ?? []);
  world.beside.judge(change, rows);
  if (after.dedupKey !== undefined) world.loop.after(0, undefined, () => world.beside.judgeWhole(change, rows()));
  world.oracle.judge(change, world.loop.now(), world.faults);
  noteStages(world, change);
  if (world.faults.transparent) judgeTransparent(world, change);
  if (after.expiresAt !== undefined) expireLater(world, after);
}

function known({ refs, forgotten }: World, row: JobRow): void {
  forgotten.delete(String(row.id));
  if (!refs.some(({ id }) => id === row.id)) refs.push(refOf(row));
}

function sideApplied(world: World, change: SideChange): void {
  const { side, after, write } = change;
  world.beside.side(change);
  if (dueFamilies.has(side.family)) world.index.sideChanged(side.name, after?.['dueAt'] as number | undefined);
  if (world.options.traced !== true) return;
  const name = `${side.family} ${[side.group, side.name].filter((part) => part !== '').join('/')}`;
  world.note(undefined, `side/${write.name} ${name}${after === undefined ? ' is gone' : ` ${JSON.stringify(after)}`}`);
}

/** The store forgets a row some time after it has expired; it may be read, or replaced, until then. */
function expireLater(world: World, row: JobRow): void {
  const ref = refOf(row);
  const expiresAt = (row.expiresAt ?? 0) * 1000;
  world.loop.after(expiresAt - world.loop.now() + world.draw('expiry') * LATEST_EXPIRY, undefined, () => {
    if (world.store.row(ref)?.version !== row.version) return;
    world.stream.append({ before: world.store.row(ref), after: undefined, rule: 'expiry' });
    world.store.forget(ref);
    world.forgotten.add(String(ref.id));
    world.note(undefined, `${shortId(String(ref.id))} is forgotten`);
  });
}
