// A tick is to a schedule what a doorbell is to a job: it says that its time has come, and may be lost or doubled. It is a small job of
// the system's tenant that waits for the time, so that the decision about the run is taken at that time and not before.
import * as z from 'zod';
import { derivedId } from '../../core/ids.ts';
import { between, type EpochMs, later, latest } from '../../core/time.ts';
import type { Engine } from '../engine.ts';
import { newRow } from '../submit/new-row.ts';
import type { AnyKind } from '../registry.ts';
import { systemScope } from '../system-scope.ts';
import { ringFor } from '../ring.ts';
import { rearmDelay } from '../timing.ts';
import { PATIENCE, untilAnswered, writeSubmit } from '../write.ts';
import type { Schedule, ScheduleEngine } from './schedule.ts';

const inputSchema = z.strictObject({ tenant: z.string(), workspace: z.string(), schedule: z.string() });
export type TickInput = z.infer<typeof inputSchema>;

/** What is the same for whoever sends ticks and whoever runs them. */
export const tickOptions = {
  kind: 'system.schedule-tick',
  input: inputSchema,
  lane: 'due',
  internal: true,
} as const;

/** The kind for whoever only sends them. */
const sentKind: AnyKind = { ...tickOptions, type: 'job', run: () => Promise.reject(new TypeError('not run here')) };

type TickEngine = ScheduleEngine & Pick<Engine, 'ringer' | 'log'>;

/**
 * Sends a tick for the next time if that is near, and makes the schedule due a while after it, in case the tick is lost. Two that send it at
 * once send the same one. False where it is too early, or the schedule has moved on.
 */
export async function sendTick(engine: TickEngine, schedule: Schedule, now: EpochMs): Promise<boolean> {
  const { nextAt } = schedule;
  if (nextAt === undefined || between(now, nextAt) > engine.settings.armBefore) return false;
  await submitTick(engine, schedule, nextAt);
  return armLater(engine, schedule, latest(nextAt, now));
}

/** Makes the schedule due a while after a time: the longer, the more often that was done for its next run. False where it has moved on. */
export async function armLater(
  engine: ScheduleEngine,
  { ref, serial, ticks }: Schedule,
  after: EpochMs,
): Promise<boolean> {
  const dueAt = later(after, rearmDelay(engine.settings, ticks));
  const params = { serial, ticks, dueAt };
  const armed = await untilAnswered(engine, PATIENCE, () => engine.store.writeSide(ref, 'arm-schedule', params));
  return armed.kind === 'applied';
}

async function submitTick(
  engine: TickEngine,
  { ref, createdAt, serial, ticks }: Schedule,
  notBefore: EpochMs,
): Promise<void> {
  const { tenant, workspace, name } = ref;
  const id = derivedId('job', tenant, workspace, 'tick', name, String(createdAt), String(serial), String(ticks));
  const input = { inline: JSON.stringify({ tenant, workspace, schedule: name } satisfies TickInput) };
  const job = { scope: systemScope, id, input: undefined, notBefore, correlationId: `schedule/${name}` };
  const { row, params } = newRow(engine, sentKind, job, { ref: { ...systemScope, id }, input, gates: {} });
  const written = await writeSubmit(engine, row, params);
  if (written.kind === 'applied') await ringFor(engine, written.row, engine.clock.now());
}
