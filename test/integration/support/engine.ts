// The engine of the functions in this process, over the deployed table and bucket. It rings nobody and starts nothing, so that a job which
// is submitted here is a test's own until the test, or the sweep, rings for it.
import { systemChance } from '../../../lib/core/chance.ts';
import { must } from '../../../lib/core/check.ts';
import type { JobRef } from '../../../lib/core/ids.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { systemClock } from '../../../lib/core/time.ts';
import type { Claim } from '../../../lib/job/claim.ts';
import type { Engine } from '../../../lib/job/engine.ts';
import { createHeartbeats } from '../../../lib/job/heartbeat/heartbeat.ts';
import type { Doorbell } from '../../../lib/job/ports.ts';
import { refOf } from '../../../lib/job/row.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { submitJob } from '../../../lib/job/submit/submit.ts';
import { takeJob } from '../../../lib/job/run/take.ts';
import type { PipelineDefinition } from '../../../lib/pipeline/definition.ts';
import { createKinds } from '../../../functions/support/kinds.ts';
import { type Cloud, scope } from './cloud.ts';

export interface OwnEngine extends Engine {
  readonly ingest: PipelineDefinition;
}

export function ownEngine(
  { store, objects }: Pick<Cloud, 'store' | 'objects'>,
  given: Partial<Engine> = {},
): OwnEngine {
  const parts = { store, objects, clock: systemClock, settings: engineDefaults, ...given };
  const { registry, pipelines } = createKinds(
    { catalog: store, documents: store, jobs: store, objects: parts.objects },
    [],
  );
  return {
    registry,
    ingest: must(pipelines[0], 'the ingest pipeline'),
    ringer: { ring: async () => undefined, isIdle: async () => true },
    executions: { start: async () => undefined, probe: async () => 'running' },
    heartbeats: createHeartbeats(parts),
    chance: systemChance,
    log: silentLog,
    ...parts,
  };
}

/** Submits a job that nobody is told of; answers the doorbell that was not rung. */
export async function submitUnheard(
  engine: Engine,
  kind: string,
  input: unknown,
  more: Partial<Parameters<typeof submitJob>[1]> = {},
): Promise<Doorbell> {
  const { row } = await submitJob(engine, { scope, kind, input, correlationId: 'integration', ...more });
  return { ref: refOf(row), epoch: row.epoch };
}

/** Claims a job as a worker does, and does nothing more. */
export async function claim(engine: Engine, bell: Doorbell): Promise<Claim> {
  const taken = await takeJob(engine, bell);
  if (taken.kind !== 'claimed') throw new Error(`The claim of ${bell.ref.id} came to ${taken.kind}.`);
  return taken.claim;
}

/** Resolves once the clock has passed the lease of a row by as much as the sweep's own clock may be late. */
export async function leaseLapsed({ store }: Pick<Cloud, 'store'>, ref: JobRef): Promise<boolean> {
  const row = must(await store.get(ref), `the row of ${ref.id}`);
  return (row.leaseUntil ?? 0) + CLOCK_GRAIN < systemClock.now();
}

/** The sweep's now is a Date header: to the second, rounded down. */
const CLOCK_GRAIN = 1500;
