// A world for pipelines in one process: the embedded store in memory, a clock that stands, and an execution that runs when it is told to.
import { seededChance } from '../../lib/core/chance.ts';
import type { JobId, TenantId, WorkspaceId } from '../../lib/core/ids.ts';
import { silentLog } from '../../lib/core/log.ts';
import { createWorker } from '../../lib/job/run/worker.ts';
import type { Engine } from '../../lib/job/engine.ts';
import { createHeartbeats } from '../../lib/job/heartbeat/heartbeat.ts';
import type { Doorbell, Executions, JobStore, ProbeAnswer } from '../../lib/job/ports.ts';
import { createRegistry, type JobKind } from '../../lib/job/registry.ts';
import type { JobRow } from '../../lib/job/row.ts';
import { engineDefaults } from '../../lib/job/settings.ts';
import { submitJob } from '../../lib/job/submit/submit.ts';
import type { PipelineDefinition } from '../../lib/pipeline/definition.ts';
import { type ExecutionSettled, settleExecution } from '../../lib/pipeline/settle-execution.ts';
import { runStep } from '../../lib/pipeline/stage-runner.ts';
import { createSqliteStore, type SqliteStore } from '../../lib/store/sqlite/store.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';
import { createMemoryObjects, type MemoryObjects } from './memory-objects.ts';

export const scope = { tenant: 'acme' as TenantId, workspace: 'main' as WorkspaceId };

export interface PipelineWorld extends Disposable {
  readonly engine: Engine;
  readonly store: SqliteStore;
  readonly objects: MemoryObjects;
  readonly clock: ManualClock;
  /** Doorbells rung, oldest first. */
  readonly bells: Doorbell[];
  /** Executions started, oldest first. */
  readonly started: Doorbell[];
  /** What probes answer. */
  probeAnswer: ProbeAnswer;
  submit(input?: unknown, kind?: string): Promise<JobRow>;
  /** Hears the last doorbell: claims the job and starts its execution. */
  claim(): Promise<Doorbell>;
  /** Runs one step until `signal` says that its time is up; answers the message of what it throws. */
  step(bell: Doorbell, step: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Runs all steps as the machine would; answers the message of what ended it. */
  execute(bell: Doorbell): Promise<string | undefined>;
  settle(bell: Doorbell, cause?: string): Promise<ExecutionSettled>;
  row(id: JobId): Promise<JobRow>;
  /** What a stage committed in that run, as stored beside the row; undefined where it has not. */
  output(id: JobId, bell: Doorbell, stage: string): Promise<string | undefined>;
}

export interface WorldOptions {
  /** Stands before the store, to lose answers. */
  readonly wrap?: (store: SqliteStore) => JobStore;
}

type Kinds = readonly (PipelineDefinition | JobKind)[];
export type Pipelines = Kinds | ((world: Pick<PipelineWorld, 'store' | 'objects' | 'clock'>) => Kinds);

export function createPipelineWorld(definitions: Pipelines, options: WorldOptions = {}): PipelineWorld {
  const clock = createManualClock();
  const sqlite = createSqliteStore({ path: ':memory:', clock });
  const store = options.wrap?.(sqlite) ?? sqlite;
  const objects = createMemoryObjects(clock);
  const kinds = typeof definitions === 'function' ? definitions({ store: sqlite, objects, clock }) : definitions;
  const pipelines = kinds.filter((kind) => kind.type === 'pipeline');
  const bells: Doorbell[] = [];
  const started: Doorbell[] = [];
  const executions: Executions = {
    start: async (bell) => void started.push(bell),
    probe: async () => world.probeAnswer,
  };
  const engine: Engine = {
    store,
    ringer: { ring: async (bell) => void bells.push(bell), isIdle: async () => true },
    executions,
    objects,
    registry: createRegistry(kinds),
    heartbeats: createHeartbeats({ store, clock, settings: engineDefaults }),
    clock,
    chance: seededChance(7),
    settings: engineDefaults,
    log: silentLog,
  };
  const definitionOf = async ({ ref }: Doorbell): Promise<PipelineDefinition> => {
    const row = await sqlite.get(ref);
    const definition = pipelines.find(({ kind }) => kind === row?.kind);
    if (definition === undefined) throw new Error('no such pipeline in this world');
    return definition;
  };
  const world: PipelineWorld = {
    engine,
    store: sqlite,
    objects,
    clock,
    bells,
    started,
    probeAnswer: 'gone',
    submit: async (input = {}, kind = pipelines[0]?.kind ?? '') =>
      (await submitJob(engine, { scope, kind, input, correlationId: 'test' })).row,
    claim: async () => {
      const bell = bells.at(-1);
      if (bell === undefined) throw new Error('nothing was rung');
      const heard = await createWorker(engine).hear(bell);
      if (heard.kind !== 'started') throw new Error(`the doorbell led to ${heard.kind}`);
      return { ref: heard.claim.ref, epoch: heard.claim.epoch };
    },
    step: async (bell, step, signal) => messageOf(runStep(engine, await definitionOf(bell), { bell, step, signal })),
    execute: async (bell) => {
      for (const { name } of (await definitionOf(bell)).steps) {
        const cause = await world.step(bell, name);
        if (cause === undefined) continue;
        await world.settle(bell, cause);
        return cause;
      }
      return undefined;
    },
    settle: (bell, cause) => settleExecution(engine, { bell, cause }),
    row: async (id) => {
      const row = await sqlite.get({ ...scope, id });
      if (row === undefined) throw new Error(`no job ${id}`);
      return row;
    },
    output: (id, bell, stage) => sqlite.getPayload({ ...scope, id }, `output-${bell.epoch}-${stage}`),
    [Symbol.dispose]: () => sqlite.close(),
  };
  return world;
}

const messageOf = (work: Promise<void>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
  );

/** A promise and what settles it. */
export interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}
export function createGate(): Gate {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
