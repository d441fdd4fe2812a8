// One invocation's hold on a job: the row as its last write left it, the heartbeat, the folder, and the only ways out (a checkpoint, a
// settle). Once the lease is lost nothing more is written.
import { later } from '../core/time.ts';
import type { Claim } from '../job/claim.ts';
import type { Engine } from '../job/engine.ts';
import type { Outcome } from '../job/outcome.ts';
import type { HeldBy, JobRow, Progress } from '../job/row.ts';
import { settleOutcome } from '../job/settle.ts';
import { writeRule } from '../job/write.ts';
import type { PipelineDefinition } from './definition.ts';
import { type Folder, lazyFolder } from './folder.ts';
import { ExecutionStopped, ShuttingDown } from './stopped.ts';

export interface Checkpoint {
  /** `execution`: the lease is handed on, and this invocation holds nothing afterwards. */
  readonly heldBy: HeldBy;
  readonly stage?: string | undefined;
  readonly stageOutput?: string | undefined;
  /** JSON. */
  readonly cursor?: string | undefined;
}

export interface Run {
  readonly engine: Engine;
  readonly definition: PipelineDefinition;
  readonly folder: Folder;
  /** Aborts on a cancel, on a lost lease, and when the caller says so. */
  readonly signal: AbortSignal;
  row(): JobRow;
  /** Set once a cancel was asked for. */
  cancelReason(): string | undefined;
  /** Why the caller stops this invocation, once it does. */
  stopped(): 'out of time' | 'shutting down' | undefined;
  progress(progress: Progress): void;
  /** Throws ExecutionStopped when the lease is lost. */
  checkpoint(what: Checkpoint): Promise<void>;
  /** Ends the claim; resolves for a success only and throws ExecutionStopped otherwise, so that the execution ends too. */
  settle(outcome: Outcome): Promise<void>;
  close(): Promise<void>;
}

export function openRun(engine: Engine, definition: PipelineDefinition, claim: Claim, stop?: AbortSignal): Run {
  const heartbeat = engine.heartbeats.start(claim);
  const folder = lazyFolder();
  let row = claim.row;
  let latest: Progress | undefined;
  let lost = false;
  const mustHold = (): void => {
    if (lost || heartbeat.lost) throw new ExecutionStopped('lease_lost', `${claim.ref.id} at epoch ${claim.epoch}`);
  };
  return {
    engine,
    definition,
    folder,
    signal: stop === undefined ? heartbeat.signal : AbortSignal.any([heartbeat.signal, stop]),
    row: () => row,
    cancelReason: () => heartbeat.cancelReason ?? row.cancelRequested,
    stopped: () => (stop?.aborted ? whyStopped(stop.reason) : undefined),
    progress: (progress) => {
      latest = progress;
      heartbeat.progress(progress);
    },
    checkpoint: async (what) => {
      if (what.heldBy === 'execution') await heartbeat.stop();
      mustHold();
      const committed = await writeCheckpoint(engine, { ...claim, row }, what, latest);
      lost = committed === undefined;
      mustHold();
      row = committed ?? row;
    },
    settle: async (outcome) => {
      await heartbeat.stop();
      mustHold();
      await settleOrStop(engine, { ...claim, row }, outcome);
    },
    close: async () => {
      await Promise.all([heartbeat.stop(), folder.remove()]);
    },
  };
}

const whyStopped = (reason: unknown) => (reason instanceof ShuttingDown ? 'shutting down' : 'out of time');

async function writeCheckpoint(
  engine: Engine,
  { ref, epoch, owner, row }: Claim,
  what: Checkpoint,
  progress: Progress | undefined,
): Promise<JobRow | undefined> {
  const { lease, handOff } = engine.settings;
  const leaseUntil = later(engine.clock.now(), what.heldBy === 'execution' ? handOff : lease);
  const number = { previousNo: row.cursorNo, cursorNo: row.cursorNo + 1 };
  const params = { epoch, owner, ...number, ...what, progress, leaseUntil };
  const written = await writeRule(engine, ref, 'checkpoint', params, lease);
  return written.kind === 'applied' ? written.row : undefined;
}

async function settleOrStop(engine: Engine, claim: Claim, outcome: Outcome): Promise<void> {
  const report = await settleOutcome(engine, claim, outcome);
  const job = `${claim.ref.id} at epoch ${claim.epoch}`;
  if (report.kind === 'lost') throw new ExecutionStopped('lease_lost', job);
  if (report.kind === 'unanswered') throw new ExecutionStopped('unanswered', job);
  if (report.row.status === 'succeeded') return;
  throw new ExecutionStopped('settled', `${job} is ${report.row.status} ${report.row.error?.code ?? ''}`.trim());
}
