// Whoever submits: it asks until it is answered, each time of another process of the API, and perhaps again later with the same id.
import { Fault } from '../../../core/fault.ts';
import { derivedId, type JobRef, type TenantId, type WorkspaceId } from '../../../core/ids.ts';
import { later, minutes, seconds } from '../../../core/time.ts';
import type { Engine } from '../../../job/engine.ts';
import { refOf } from '../../../job/row.ts';
import { submitJob, type Submitted, type SubmitRequest } from '../../../job/submit/submit.ts';
import { FLOW, GUARD } from '../names.ts';
import type { Order, World } from '../world.ts';
import type { Cast } from './cast.ts';

const ASKS_AGAIN_AFTER = 2000;

export const refOfJob = ({ options }: World, place: number): JobRef => ({
  tenant: 'acme' as unknown as TenantId,
  workspace: 'main' as unknown as WorkspaceId,
  id: derivedId('job', String(options.seed), String(place)),
});

/** Submits one job, and answers the one that there is then: another where it has the dedup key, none where it was refused. */
export async function submitOne(world: World, cast: Cast, ref: JobRef, place: number): Promise<JobRef | undefined> {
  const order = (world.options.order ?? simulatedOrder)(world, place);
  const timing = timingOf(world, ref);
  const first = await ask(world, cast, ref, order, timing);
  if (first === undefined) return undefined;
  const { created, duplicate } = first.submitted;
  if (first.tries === 1 && !created && duplicate !== true && world.faults.transparent)
    world.oracle.break('a submit that made its job says that it did not', ref.id);
  return refOf(first.submitted.row);
}

/** Submits again with the id of a job that exists: while it lives or is kept, nothing new comes of it. */
export async function submitAgain(world: World, cast: Cast, ref: JobRef, place: number): Promise<void> {
  await ask(world, cast, ref, (world.options.order ?? simulatedOrder)(world, place), () => ({}));
}

type Timing = (engine: Engine) => Pick<SubmitRequest, 'notBefore' | 'startBy'>;

async function ask(
  world: World,
  cast: Cast,
  ref: JobRef,
  order: Order,
  timing: Timing,
): Promise<{ readonly submitted: Submitted; readonly tries: number } | undefined> {
  for (let tries = 1; ; tries++) {
    let submitted: Submitted | undefined;
    let refused: Fault | undefined;
    await cast.inProcess('api', async (engine) => {
      const request = { correlationId: 'simulated', ...timing(engine), ...order, scope: ref, id: ref.id };
      try {
        submitted = await submitJob(engine, request);
      } catch (thrown) {
        if (!(thrown instanceof Fault) || thrown.code === 'UNKNOWN_KIND') throw thrown;
        refused = thrown;
      }
    });
    if (submitted !== undefined) {
      world.promised.add(String(submitted.row.id));
      return { submitted, tries };
    }
    if (refused !== undefined) return undefined;
    await world.loop.pause(undefined, ASKS_AGAIN_AFTER);
  }
}

const simulatedOrder = ({ draws, faults }: World, place: number): Order => {
  const draw = draws.of(`order-${place}`);
  const kinds = ['simple', 'simple', 'staged', 'staged', 'waiting', 'followed'];
  return {
    kind: kinds[Math.floor(draw('kind') * kinds.length)] ?? 'simple',
    input: {},
    ...(lit(faults.spotlight) ?? gates(draw)),
    ...litKind(faults.spotlight),
  };
};

/** The kind of every job where a rule of one kind alone stands in the spotlight. */
function litKind(spotlight: string | undefined): Partial<Order> {
  if (spotlight === 'crash' || spotlight === 'reap-execution') return { kind: 'staged' };
  if (spotlight === 'pay') return { kind: 'followed' };
  return spotlight === 'side/time-out' ? { kind: 'waiting' } : {};
}

/** What every job has to pass where a rule of it stands in the spotlight. */
function lit(spotlight: string | undefined): Partial<Order> | undefined {
  if (spotlight === 'side/draw-step' || spotlight === 'side/grant-step') return { flow: FLOW };
  if (spotlight === 'drop') return { guard: { key: GUARD, value: '1' } };
  if (spotlight === 'defer') return { rate: { key: 'rate', perMinute: 2 } };
  return spotlight === 'side/take-key' ? { dedupKey: 'key', onDuplicate: 'replace' } : undefined;
}

/** Half of the jobs have to pass something beside their row. */
function gates(draw: (purpose: string) => number): Partial<Order> {
  const drawn = draw('gates');
  if (drawn > 0.85) return { concurrencyKey: { key: 'places', limit: 1 } };
  if (drawn > 0.72) return { flow: FLOW };
  if (drawn > 0.64) return { guard: { key: GUARD, value: '1' } };
  if (drawn > 0.58) return { rate: { key: 'rate', perMinute: 2 } };
  if (drawn > 0.53)
    return { concurrencyKey: { key: 'places', limit: 1 }, flow: FLOW, rate: { key: 'rate', perMinute: 2 } };
  return drawn > 0.45 ? { dedupKey: 'key', onDuplicate: draw('replaces') > 0.5 ? 'replace' : 'keep' } : {};
}

function timingOf({ draws }: World, ref: JobRef): Timing {
  const draw = (purpose: string) => draws.draw(String(ref.id), purpose);
  const delays = [undefined, undefined, undefined, seconds(draw('delay') * 90), minutes(25)];
  const delay = delays[Math.floor(draw('which delay') * delays.length)];
  const late = draw('start by') > 0.85;
  return ({ clock }) => ({
    notBefore: delay === undefined ? undefined : later(clock.now(), delay),
    startBy: late ? later(clock.now(), minutes(3)) : undefined,
  });
}
