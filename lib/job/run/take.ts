// Hearing a doorbell: one conditional write claims the job, or its refusal shows the row, and that row says what is left to do.
import { type Epoch, newId } from '../../core/ids.ts';
import { type EpochMs, later } from '../../core/time.ts';
import type { Engine } from '../engine.ts';
import { type AtTheGate, passGates } from '../gates/gates.ts';
import { jobError } from './outcome.ts';
import type { Doorbell } from '../ports.ts';
import { ringFor } from '../ring.ts';
import { type JobRow, refOf } from '../row.ts';
import { ending, residual } from '../timing.ts';
import { writeRule } from '../write.ts';

export type Taken =
  /** Early or dropped also by its own times: `notBefore` has not come, or `startBy` has passed. */
  | AtTheGate
  /** Nothing to do: running, parked, terminal, or gone. */
  | { readonly kind: 'stale'; readonly found: JobRow | undefined };

type TakeEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;

/** A doorbell leads to a claim at its first or second try, unless the row changes under it again and again. */
const MOST_TRIES = 6;

/** Claims the job that a doorbell is for, or says why not. Throws StoreUnavailable. */
export async function takeJob(engine: TakeEngine, bell: Doorbell): Promise<Taken> {
  let epoch = bell.epoch;
  let found: JobRow | undefined;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const answer = found?.gated === true ? await passGates(engine, found) : await tryClaim(engine, bell, epoch);
    if ('kind' in answer) return answer;
    found = answer.found;
    if (found?.status !== 'queued') return { kind: 'stale', found };
    const declined = await declineQueued(engine, found);
    if (declined !== undefined) return declined;
    epoch = found.epoch;
  }
  return { kind: 'stale', found };
}

async function tryClaim(
  engine: TakeEngine,
  { ref }: Doorbell,
  epoch: Epoch,
): Promise<Extract<Taken, { kind: 'claimed' }> | { found: JobRow | undefined }> {
  const now = engine.clock.now();
  const owner = newId('own', now, engine.chance);
  const leaseUntil = later(now, engine.settings.lease);
  const answer = await writeRule(engine, ref, 'claim', { epoch, owner, heldBy: 'worker', now, leaseUntil });
  if (answer.kind === 'refused') return { found: answer.found };
  return { kind: 'claimed', claim: { ref, epoch: answer.row.epoch, owner, row: answer.row } };
}

/** What a queued row that refused its claim asks for; undefined when the claim may be tried again at once. */
async function declineQueued(engine: TakeEngine, row: JobRow): Promise<Taken | undefined> {
  const now = engine.clock.now();
  if (row.startBy !== undefined && row.startBy <= now) return dropLate(engine, row, now);
  const wait = residual(row.notBefore, now);
  if (wait === 0) return undefined;
  if (wait <= engine.settings.waitOut) {
    await engine.clock.sleep(wait);
    return undefined;
  }
  return { kind: 'early', row, rung: await ringFor(engine, row, now) };
}

/** Drops a job whose `startBy` passed; undefined when the row has moved on. */
export async function dropLate(engine: TakeEngine, row: JobRow, now: EpochMs): Promise<Taken | undefined> {
  const error = jobError('DROPPED', 'It could not start by the time that was asked.', false);
  const end = ending(engine.settings, now, 'cancelled');
  const answer = await writeRule(engine, refOf(row), 'drop', { version: row.version, ...end, error });
  return answer.kind === 'applied' ? { kind: 'dropped', row: answer.row } : undefined;
}
