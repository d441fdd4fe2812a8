// Starting a run: the job and the change of its schedule are one transaction, so that a time has one run, whoever comes first, and the
// run before is the one that the schedule named when it was read. A run that is replaced is cancelled in it too.
import { asError } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import { derivedId, type JobId, newId } from '../../core/ids.ts';
import { type EpochMs, later, seconds, toIso } from '../../core/time.ts';
import type { Engine } from '../engine.ts';
import { dropUnused } from '../submit/drop-unused.ts';
import { type NewJob, type PreparedJob, prepareJob } from '../submit/new-row.ts';
import type { RuleParams, TransactWrite } from '../ports.ts';
import type { AnyKind } from '../registry.ts';
import { ringFor } from '../ring.ts';
import { type JobRow, refOf } from '../row.ts';
import { cancelledError } from '../run/settle.ts';
import { isTerminal } from '../status.ts';
import { ending } from '../timing.ts';
import { readRow, writeSubmitTogether } from '../write.ts';
import { applyChange, type Change, changeWrite, type Schedule, type ScheduleEngine, withRun } from './schedule.ts';

export type StartEngine = ScheduleEngine & Pick<Engine, 'ringer' | 'objects' | 'registry' | 'log'>;

/** The time that is run, or now for a run by hand, and when the schedule runs next. */
export interface Occasion {
  readonly at: EpochMs;
  readonly next: EpochMs | undefined;
  readonly by: 'time' | 'hand';
  /** By hand under an idempotency key. */
  readonly id?: JobId | undefined;
  readonly requestHash?: string | undefined;
}

export type Started =
  | { readonly kind: 'started'; readonly row: JobRow }
  /** The run before has not ended. */
  | { readonly kind: 'skipped'; readonly active: JobRow }
  | { readonly kind: 'failed'; readonly fault: Fault }
  /** The job that the run would have had is there already. */
  | { readonly kind: 'there'; readonly row: JobRow }
  /** The schedule, or the run before, moved on: read it again. */
  | { readonly kind: 'moved' };

/** The one job that a time of a schedule can have. */
const runId = ({ ref, createdAt }: Schedule, at: EpochMs): JobId =>
  derivedId('job', ref.tenant, ref.workspace, 'schedule', ref.name, String(createdAt), String(at));

/** Tries once. Throws StoreUnavailable, and nothing for a kind or an input that no longer fits. */
export async function startRun(engine: StartEngine, schedule: Schedule, occasion: Occasion): Promise<Started> {
  const before = await runBefore(engine, schedule);
  const active = before !== undefined && !isTerminal(before.status) ? before : undefined;
  if (schedule.definition.overlap === 'skip' && active !== undefined) return { kind: 'skipped', active };
  const prepared = await prepareRun(engine, schedule, occasion);
  if (prepared instanceof Fault) return { kind: 'failed', fault: prepared };
  const { row: job, params } = prepared;
  const change = changeWrite(engine, schedule, startedChange(schedule, occasion, job.id));
  const replaces =
    schedule.definition.overlap === 'replace' && active !== undefined && active.cancelRequested === undefined;
  const beside = replaces ? [change, cancelOf(engine, active)] : [change];
  const answer = await writeSubmitTogether(engine, job, params, beside);
  if (answer.kind === 'applied') {
    await ringFor(engine, answer.row, answer.row.createdAt, 'due');
    return { kind: 'started', row: answer.row };
  }
  await dropUnused(engine, job, answer.found);
  return answer.job && answer.found !== undefined ? { kind: 'there', row: answer.found } : { kind: 'moved' };
}

export const startedChange = ({ runs }: Schedule, { at, by, next }: Occasion, jobId: JobId): Change => ({
  ...(by === 'time' && { lastAt: at }),
  lastJob: jobId,
  runs: withRun(runs, { at, by, outcome: 'started', jobId }),
  nextAt: next,
});

async function runBefore(engine: StartEngine, { ref, lastJob }: Schedule): Promise<JobRow | undefined> {
  if (lastJob === undefined) return undefined;
  return readRow(engine, { tenant: ref.tenant, workspace: ref.workspace, id: lastJob });
}

/** One that runs hears of it at its next heartbeat; the new run waits for its place until then. */
function cancelOf({ clock, chance, settings }: StartEngine, active: JobRow): TransactWrite {
  const now = clock.now();
  const common = { version: active.version, writeId: newId('w', now, chance) };
  const reason = 'replaced by the next run of its schedule';
  if (active.status === 'running') {
    const params: RuleParams<'request-cancel'> = { ...common, cancelReason: reason };
    return { job: refOf(active), rule: 'request-cancel', params };
  }
  const params: RuleParams<'cancel'> = {
    ...common,
    ...ending(settings, now, 'cancelled'),
    error: cancelledError(reason),
  };
  return { job: refOf(active), rule: 'cancel', params };
}

/** A fault says why there can be no such job. */
async function prepareRun(engine: StartEngine, schedule: Schedule, occasion: Occasion): Promise<PreparedJob | Fault> {
  const kind = engine.registry.find(schedule.definition.kind);
  if (kind === undefined)
    return new Fault('UNKNOWN_KIND', `The kind "${schedule.definition.kind}" is no longer deployed.`);
  try {
    return await prepareJob(engine, kind, jobOf(schedule, kind, occasion));
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
}

/** A run by hand may fall on a time of the schedule. */
const correlationOf = (schedule: string, at: EpochMs, by: Occasion['by']): string =>
  `schedule/${schedule}/${toIso(at)}${by === 'hand' ? '/by-hand' : ''}`;

function jobOf(schedule: Schedule, kind: AnyKind, { at, by, id, requestHash }: Occasion): NewJob {
  const { ref, definition } = schedule;
  const { input, lane, flow, startWithinSeconds, overlap } = definition;
  const oneByOne = overlap === 'queue' || overlap === 'replace';
  return {
    scope: { tenant: ref.tenant, workspace: ref.workspace },
    id: by === 'time' ? runId(schedule, at) : id,
    input: JSON.parse(input) as unknown,
    lane: lane ?? kind.lane,
    flow,
    requestHash,
    correlationId: correlationOf(ref.name, at, by),
    ...(startWithinSeconds !== undefined && { startBy: later(at, seconds(startWithinSeconds)) }),
    ...(oneByOne && { concurrencyKey: { key: `schedule:${ref.name}`, limit: 1 } }),
  };
}

/** Notes that a time had no run, and goes on. False where the schedule has moved on. */
export function noteSkipped(engine: StartEngine, schedule: Schedule, occasion: Occasion, active: JobRow) {
  const { at, by, next } = occasion;
  const runs = withRun(schedule.runs, { at, by, outcome: 'skipped', detail: `${active.id} has not ended.` });
  return applyChange(engine, schedule, { lastAt: at, runs, nextAt: next });
}

export function noteFailed(engine: StartEngine, schedule: Schedule, { at, by, next }: Occasion, fault: Fault) {
  const detail = asError(fault.detail).message.slice(0, 300);
  engine.log.warn('A run of a schedule could not be submitted.', {
    schedule: schedule.ref.name,
    code: fault.code,
    detail,
  });
  const runs = withRun(schedule.runs, { at, by, outcome: 'failed', code: fault.code, detail });
  return applyChange(engine, schedule, { lastAt: at, runs, nextAt: next });
}
