// Signals: what a running or waiting job is told from outside, once a name. The side row of a name is written once, by whoever tells the
// job or by its time-out, so that every run of the handler reads the same. The row first, then the unpark; a lost unpark is the sweep's.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { JobRef } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { besideExpiry } from '../beside-life.ts';
import type { Engine } from '../engine.ts';
import { savePayload, toJson } from '../payload.ts';
import type { TransactWrite } from '../ports.ts';
import { type JobRow, type PayloadRef, payloadRefSchema, refOf } from '../row.ts';
import type { SideRef } from '../side/side.ts';
import { isTerminal } from '../status.ts';
import { type UnparkEngine, unparkFrom } from './unpark.ts';
import { PATIENCE, readRow, untilAnswered } from '../write.ts';

/** Letters, digits and `. _ : / -`, at most 100 characters. */
export const SIGNAL_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$/;

export const signalReason = (name: string): string => `signal:${name}`;

const signalRowSchema = z.object({
  /** JSON of where the payload is. */
  payload: z.string().optional(),
  sha256: z.string().optional(),
  /** The life of the job (its redrives) in which nobody told it in time. */
  timedOut: z.number().optional(),
});

export type Told = { readonly kind: 'told'; readonly payload: PayloadRef } | { readonly kind: 'timed out' };

/** Signals belong to one life of an id: one that was submitted anew has not heard them. */
const sideOf = ({ tenant, workspace, id, createdAt }: JobRow, name: string): SideRef => ({
  tenant,
  workspace,
  family: 'signal',
  group: `${id}/${createdAt}`,
  name,
});
const lifeOf = ({ redrives = 0 }: JobRow): number => redrives;

/** What the job was told under a name; undefined while it was not. */
export async function readSignal(
  { store }: Pick<Engine, 'store'>,
  row: JobRow,
  name: string,
): Promise<Told | undefined> {
  return toldIn(row, await store.getSide(sideOf(row, name)));
}

function toldIn(row: JobRow, side: unknown): Told | undefined {
  if (side === undefined) return undefined;
  const { payload, timedOut } = signalRowSchema.parse(side);
  if (payload !== undefined) return { kind: 'told', payload: payloadRefSchema.parse(JSON.parse(payload)) };
  return timedOut !== undefined && timedOut >= lifeOf(row) ? { kind: 'timed out' } : undefined;
}

/** What a park for the signal is checked with: that it still has not come. */
export const unsaid = (row: JobRow, name: string): TransactWrite => ({
  side: sideOf(row, name),
  rule: 'is-unsaid',
  params: { life: lifeOf(row) },
});

/** The wait is over; answers what came first, the signal or this. */
export async function timeOutSignal(engine: Pick<Engine, 'store' | 'clock'>, row: JobRow, name: string): Promise<Told> {
  const now = engine.clock.now();
  const params = { now, life: lifeOf(row), expiresAt: besideExpiry(now) };
  const written = await engine.store.writeSide(sideOf(row, name), 'time-out', params);
  const told = written.kind === 'refused' ? toldIn(row, written.found) : undefined;
  return told ?? { kind: 'timed out' };
}

/** For a parked row that is due: whether its signal has come, or will be waited for no longer. */
export async function signalOver(
  engine: Pick<Engine, 'store' | 'clock'>,
  row: JobRow,
  name: string,
  now: EpochMs,
): Promise<boolean> {
  if (row.parkedUntil === undefined || row.parkedUntil > now)
    return (await readSignal(engine, row, name)) !== undefined;
  await timeOutSignal(engine, row, name);
  return true;
}

type SignalEngine = UnparkEngine & Pick<Engine, 'objects'>;

/**
 * Tells a job something under a name: the first to do so counts, and the same again changes nothing. Answers the job, unparked if it
 * waited for this. Throws Fault NOT_FOUND, Fault CONFLICT (it has ended, heard something else under the name, or waits for it no longer),
 * LIMIT_EXCEEDED, and StoreUnavailable.
 */
export async function sendSignal(engine: SignalEngine, ref: JobRef, name: string, payload: unknown): Promise<JobRow> {
  const row = await readRow(engine, ref);
  if (row === undefined) throw new Fault('NOT_FOUND', 'There is no such job.');
  if (isTerminal(row.status)) throw new Fault('CONFLICT', `The job is ${row.status}, and hears no more signals.`);
  await writeSignal(engine, row, name, toJson(payload) ?? 'null');
  return (await unparkFrom(engine, await readRow(engine, ref), signalReason(name))) ?? row;
}

async function writeSignal(engine: SignalEngine, row: JobRow, name: string, json: string): Promise<void> {
  const now = engine.clock.now();
  const expiresAt = besideExpiry(now);
  const sha256 = createHash('sha256').update(json).digest('hex');
  const saved = await untilAnswered(engine, PATIENCE, () => savePayload(engine, refOf(row), 'signal', json, expiresAt));
  const params = { fields: { payload: JSON.stringify(saved), sha256, expiresAt }, now, life: lifeOf(row) };
  const written = await untilAnswered(engine, PATIENCE, () =>
    engine.store.writeSide(sideOf(row, name), 'signal', params),
  );
  if (written.kind === 'applied') return;
  const found = signalRowSchema.parse(written.found ?? {});
  if (found.timedOut !== undefined)
    throw new Fault('CONFLICT', `The job waits for the signal ${name} no longer: its time is over.`);
  if (found.sha256 !== sha256) throw new Fault('CONFLICT', `The job was told something else as ${name} before.`);
}
