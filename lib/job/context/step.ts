// Steps: what a run worked out is kept under a name, and no later run works it out again. First writer wins, so that all runs of a job
// go on from the same result. Small results stand in an item beside the row; for larger ones the item names an object and its checksum.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { besideExpiry } from '../beside-life.ts';
import type { Engine } from '../engine.ts';
import { jsonOrFault, loadPayload, MAX_ITEM, savePayload } from '../payload.ts';
import { type JobRow, payloadRefSchema, refOf } from '../row.ts';
import { untilAnswered } from '../write.ts';
import { createNames, insideStep, refuseInsideStep } from './interrupt.ts';

type StepEngine = Pick<Engine, 'store' | 'objects' | 'clock' | 'chance' | 'settings'>;

/** What is kept: the value, where it is, or nothing for undefined. */
const keptSchema = z.union([
  z.strictObject({ value: z.unknown().optional() }),
  z.strictObject({ at: payloadRefSchema }),
]);

const hashOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

/** A step of this life of the id, on this input, in this stage: another input makes other steps. */
const itemOf = ({ createdAt, input }: JobRow, stage: string | undefined, name: string): string =>
  `step-${hashOf(createdAt, input, stage ?? null, name)}`;

export interface Steps {
  /** The result that is kept under a name; else runs `work`, keeps what it answers, and answers that as it was kept. */
  run<T>(name: string, work: () => Promise<T> | T): Promise<T>;
  /** The same for what the context itself keeps; `name` may be used again. */
  keep<T>(name: string, work: () => Promise<T> | T): Promise<T>;
}

export function createSteps(engine: StepEngine, row: JobRow, signal: AbortSignal, stage?: string): Steps {
  const claimName = createNames('step');
  const keep = async <T>(name: string, work: () => Promise<T> | T): Promise<T> => {
    const item = itemOf(row, stage, name);
    const kept = await readKept(engine, row, item);
    if (kept !== undefined) return kept.value as T;
    signal.throwIfAborted();
    await writeKept(engine, row, { item, name, value: await work() });
    const written = await readKept(engine, row, item);
    if (written === undefined) throw new Fault('INPUT_UNREADABLE', `What the step ${name} kept is gone.`);
    return written.value as T;
  };
  return {
    keep,
    run: async (name, work) => {
      refuseInsideStep('ctx.step');
      signal.throwIfAborted();
      claimName(name);
      return keep(`step:${name}`, () => insideStep(name, work));
    },
  };
}

async function readKept(
  engine: StepEngine,
  row: JobRow,
  item: string,
): Promise<{ readonly value: unknown } | undefined> {
  const json = await untilAnswered(engine, engine.settings.lease, () => engine.store.getPayload(refOf(row), item));
  if (json === undefined) return undefined;
  const kept = keptSchema.parse(JSON.parse(json));
  if (!('at' in kept)) return { value: kept.value };
  return { value: await untilAnswered(engine, engine.settings.lease, () => loadPayload(engine, refOf(row), kept.at)) };
}

interface Kept {
  readonly item: string;
  readonly name: string;
  readonly value: unknown;
}

async function writeKept(engine: StepEngine, row: JobRow, { item, name, value }: Kept): Promise<void> {
  const json = jsonOrFault(value, `The step ${JSON.stringify(name)} answered what JSON cannot hold.`);
  const ref = refOf(row);
  const expiresAt = besideExpiry(engine.clock.now());
  await untilAnswered(engine, engine.settings.lease, async () => {
    const kept = json === undefined ? '{}' : `{"value":${json}}`;
    const small = Buffer.byteLength(kept) <= MAX_ITEM;
    const text =
      small || json === undefined
        ? kept
        : JSON.stringify({ at: await savePayload(engine, ref, item, json, expiresAt) });
    await engine.store.putPayload(ref, item, text, expiresAt);
  });
}
