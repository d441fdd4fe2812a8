// Whoever submits: it asks until it is answered, each time of another process of the API, and perhaps again later with the same id.
import { derivedId, type JobRef, type TenantId, type WorkspaceId } from '../../../core/ids.ts';
import { later, minutes, seconds } from '../../../core/time.ts';
import type { Engine } from '../../../job/engine.ts';
import { isTerminal } from '../../../job/status.ts';
import { submitJob, type Submitted, type SubmitRequest } from '../../../job/submit.ts';
import type { Order, World } from '../world.ts';
import type { Cast } from './cast.ts';

const ASKS_AGAIN_AFTER = 2000;

export const refOfJob = ({ options }: World, place: number): JobRef => ({
  tenant: 'acme' as unknown as TenantId,
  workspace: 'main' as unknown as WorkspaceId,
  id: derivedId('job', String(options.seed), String(place)),
});

/** Submits one job, and answers once it was told that the job exists. */
export async function submitOne(world: World, cast: Cast, ref: JobRef, place: number): Promise<void> {
  const order = (world.options.order ?? simulatedOrder)(world, place);
  const timing = timingOf(world, ref);
  const first = await ask(world, cast, ref, order, timing);
  if (first.tries === 1 && !first.submitted.created && world.faults.transparent)
    world.oracle.break('a submit that made its job says that it did not', ref.id);
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
): Promise<{ readonly submitted: Submitted; readonly tries: number }> {
  for (let tries = 1; ; tries++) {
    const before = world.store.row(ref);
    let submitted: Submitted | undefined;
    await cast.inProcess('api', async (engine) => {
      const request = { correlationId: 'simulated', ...timing(engine), ...order, scope: ref, id: ref.id };
      submitted = await submitJob(engine, request);
    });
    if (submitted !== undefined) return { submitted, tries };
    if (before !== undefined && !isTerminal(before.status) && tries > 3) world.note(undefined, 'a client still asks');
    await world.loop.pause(undefined, ASKS_AGAIN_AFTER);
  }
}

const simulatedOrder = (world: World, place: number): Order => ({
  kind: world.draws.draw(`job-${place}`, 'kind') > 0.6 ? 'staged' : 'simple',
  input: {},
});

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
