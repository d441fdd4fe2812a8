// One invocation's hold on a job: the row as its last write left it, the heartbeat, the folder, and the only ways out (a checkpoint, a
// settle). Once the lease is lost nothing more is written.
import { type Commit, holdClaim } from '../job/run/held-claim.ts';
import type { Claim } from '../job/claim.ts';
import { type Container, createContainer } from '../job/run/contain.ts';
import type { Engine } from '../job/engine.ts';
import { type Hurry, openLimits } from '../job/run/hurry.ts';
import type { Outcome } from '../job/run/outcome.ts';
import { progressGate } from '../job/run/progress.ts';
import type { JobContext } from '../job/registry.ts';
import type { JobRow } from '../job/row.ts';
import { settleOutcome } from '../job/run/settle.ts';
import type { PipelineDefinition } from './definition.ts';
import { type Folder, lazyFolder } from './folder.ts';
import type { StoredOutput } from './stage-output.ts';
import { ExecutionStopped } from './stopped.ts';

export interface Run {
  readonly engine: Engine;
  readonly definition: PipelineDefinition;
  readonly folder: Folder;
  /** What was read or committed here of stages, by key: outputs never change. */
  readonly outputs: Map<string, Promise<StoredOutput>>;
  /** Stages run in it. */
  readonly container: Container;
  /** Aborts on a cancel, on a lost lease, at the job's deadline, and when the caller says so. */
  readonly signal: AbortSignal;
  row(): JobRow;
  /** Set once a cancel was asked for. */
  cancelReason(): string | undefined;
  /** Why this invocation has to stop, once it does. */
  hurry(): Hurry | undefined;
  /** Whether another invocation would start further on than this one did. */
  moved(): boolean;
  readonly progress: JobContext['progress'];
  /** A stage begins, of which the row says nothing yet. */
  enter(stage: string): void;
  /** Throws ExecutionStopped when the lease is lost. */
  checkpoint(what: Commit): Promise<void>;
  /** Ends the claim; resolves for a success only and throws ExecutionStopped otherwise, so that the execution ends too. */
  settle(outcome: Outcome): Promise<void>;
  close(): Promise<void>;
}

export function openRun(engine: Engine, definition: PipelineDefinition, claim: Claim, stop?: AbortSignal): Run {
  const heartbeat = engine.heartbeats.start(claim);
  const held = holdClaim(engine, claim);
  const folder = lazyFolder();
  const ended = new AbortController();
  const limits = openLimits(engine.clock, { stop, deadline: claim.row.deadline }, ended.signal);
  const container = createContainer();
  const row = (): JobRow => held.claim().row;
  const mustHold = (isHeld: boolean): void => {
    if (!isHeld || heartbeat.lost) throw new ExecutionStopped('lease_lost', `${claim.ref.id} at epoch ${claim.epoch}`);
  };
  return {
    engine,
    definition,
    folder,
    outputs: new Map(),
    container,
    signal: AbortSignal.any([heartbeat.signal, limits.signal, container.signal]),
    row,
    cancelReason: () => heartbeat.cancelReason ?? row().cancelRequested,
    hurry: () => limits.hurry(),
    moved: () => held.moved(),
    progress: progressGate(
      engine.clock,
      (said) => {
        held.progress(said);
        heartbeat.progress(said);
      },
      ended.signal,
    ),
    enter: (stage) => heartbeat.nextPart(stage),
    checkpoint: async (what) => {
      if (what.heldBy === 'execution') await heartbeat.stop();
      mustHold(true);
      mustHold(await held.commit(what));
    },
    settle: async (outcome) => {
      held.close();
      await heartbeat.stop();
      mustHold(true);
      await settleOrStop(engine, held.claim(), outcome);
    },
    close: async () => {
      ended.abort();
      held.close();
      await Promise.all([heartbeat.stop(), folder.remove()]);
    },
  };
}

async function settleOrStop(engine: Engine, claim: Claim, outcome: Outcome): Promise<void> {
  const report = await settleOutcome(engine, claim, outcome);
  const job = `${claim.ref.id} at epoch ${claim.epoch}`;
  if (report.kind === 'lost') throw new ExecutionStopped('lease_lost', job);
  if (report.kind === 'unanswered') throw new ExecutionStopped('unanswered', job);
  if (report.row.status === 'succeeded') return;
  throw new ExecutionStopped('settled', `${job} is ${report.row.status} ${report.row.error?.code ?? ''}`.trim());
}
