// Why a job does not run, or not on: read off its row alone, so that it is right without asking anybody, and says who looks next and when.
import { type EpochMs, latest, toIso } from '../../core/time.ts';
import { timeOfId } from '../../core/ids.ts';
import { type Job, type Parked, type Queued, type Running, toJob } from '../job.ts';
import type { JobRow } from '../row.ts';
import { isTerminal } from '../status.ts';

export interface Waiting {
  /**
   * Queued: `worker` (it may start, and no worker has taken it yet), `time` (not before its start), `backoff` (after a failed attempt),
   * `rate:<key>` (its turn has not come), `late` (it ends at the next look). Parked: `flow:<name>`, `slot:<key>`, `signal:<name>`,
   * `children`, `stage`, `no_handler:<kind>`. Running: `execution` (between two stages), `cancel` (told to stop), `lapsed` (its worker is
   * silent), `reclaimed` (an operator took it away). Ended: `child` (the job that follows it is not there yet).
   */
  readonly reason: string;
  /** One sentence for whoever looks. */
  readonly detail: string;
  readonly since: EpochMs;
  /** When somebody looks at it next, at the latest; past where the sweep is behind. */
  readonly next?: EpochMs | undefined;
}

type Found = Omit<Waiting, 'since'>;

/** Undefined for a job that runs and is heard of, and for one that has ended and owes nothing. */
export function waitingOf(row: JobRow, now: EpochMs): Waiting | undefined {
  const found = isTerminal(row.status) ? owing(row) : foundIn(toJob(row), now);
  return found && { ...found, since: sinceOf(row) };
}

function foundIn(job: Job, now: EpochMs): Found | undefined {
  switch (job.status) {
    case 'queued':
      return queued(job, now);
    case 'parked':
      return parked(job);
    case 'running':
      return running(job, now);
    default:
      return undefined;
  }
}

function owing({ owes, dueAt }: JobRow): Found | undefined {
  if (owes === undefined) return undefined;
  return { reason: 'child', detail: `The job that follows it, ${owes}, is not there yet.`, next: dueAt };
}

/** Each loud rule mints a fresh write id, which holds the time; else the latest time that the row names and that is past. */
function sinceOf({ writeId, createdAt, startedAt }: JobRow): EpochMs {
  return timeOfId(writeId) ?? latest(createdAt, startedAt ?? createdAt);
}

function queued(job: Queued, now: EpochMs): Found {
  const { notBefore, startBy, deadline, rate } = job;
  if ((startBy ?? Infinity) <= now || (deadline ?? Infinity) <= now)
    return { reason: 'late', detail: 'Its time is over; it ends at the next look.', next: job.dueAt };
  if (notBefore === undefined || notBefore <= now)
    return { reason: 'worker', detail: `It waits for a worker of the lane ${job.lane}.`, next: job.dueAt };
  if (job.admitted === true && rate !== undefined) {
    const detail = `${rate.key} may start ${rate.perMinute} a minute; its turn is at ${toIso(notBefore)}.`;
    return { reason: `rate:${rate.key}`, detail, next: notBefore };
  }
  if (job.rule === 'retry') return { reason: 'backoff', detail: backoffOf(job), next: notBefore };
  return { reason: 'time', detail: `It starts at ${toIso(notBefore)} or soon after.`, next: notBefore };
}

const backoffOf = ({ attempts, maxRetries, error }: Queued): string =>
  `Attempt ${attempts + 1} of ${maxRetries + 1} starts after a pause; the last one ended in ${error?.code ?? 'a failure'}.`;

/** What it is parked on may end in a name, e.g. `slot:tenant:acme`. */
function parked({ parked: reason, parkedUntil, dueAt }: Parked): Found {
  const [what = '', ...rest] = reason.split(':');
  const name = rest.join(':');
  const says: Readonly<Record<string, string>> = {
    flow: `The flow ${name} is paused, or steps one job at a time.`,
    slot: `Every place under ${name} is taken; it goes on when one is free.`,
    signal: `It waits for the signal ${name}.`,
    children: 'It waits for its children to end.',
    stage: 'It was asked to stop before its next stage.',
    no_handler: `No kind ${name || 'of its name'} is deployed; it runs when one is.`,
  };
  const detail = says[what] ?? `It waits for ${reason}.`;
  const until = parkedUntil === undefined ? '' : ` It waits until ${toIso(parkedUntil)} at most.`;
  return { reason, detail: detail + until, next: dueAt };
}

function running(job: Running, now: EpochMs): Found | undefined {
  const { leaseUntil, cancelRequested, heldBy } = job;
  if (job.leaseOwner === undefined)
    return { reason: 'reclaimed', detail: 'It was taken from its worker; the next sweep queues it.', next: job.dueAt };
  if (heldBy === 'worker' && leaseUntil <= now)
    return { reason: 'lapsed', detail: 'Its worker is silent; the next sweep takes it back.', next: job.dueAt };
  if (cancelRequested !== undefined)
    return { reason: 'cancel', detail: `It was told to stop: ${cancelRequested}`, next: leaseUntil };
  if (heldBy === 'worker') return undefined;
  const after = job.stage === undefined ? 'its first stage' : `the stage after ${job.stage}`;
  return { reason: 'execution', detail: `Its execution is to begin ${after}.`, next: leaseUntil };
}
