// What a row refers to lives as long as the row: its input, its result and its stages' outputs. They go when the row is removed, when another
// life takes its place, or when it is redriven and refers to them no more. What the row that is there now refers to stays.
import { dropPayload } from '../../job/payload.ts';
import { type JobRow, type PayloadRef, refOf } from '../../job/row.ts';
import { isTerminal } from '../../job/status.ts';
import { dropOutput, outputKeys } from '../../pipeline/stage-output.ts';
import type { JobChange, PayloadEngine, RelayEffect } from '../effect.ts';

export const payloadsEffect = (engine: PayloadEngine): RelayEffect => ({
  name: 'payloads',
  keyOf: ({ before, after }) => (before !== undefined && mayForsake({ before, after }) ? before.id : undefined),
  apply: async ({ before }) => {
    if (before === undefined) return;
    const now = await engine.store.get(refOf(before));
    await dropPayloads(engine, before, now);
    await dropOutputs(engine, before, now);
  },
});

function mayForsake({ before, after }: { readonly before: JobRow } & JobChange): boolean {
  const ended = after === undefined || before.createdAt !== after.createdAt;
  const stored = payloadsOf(before).length > 0;
  if (ended) return stored || before.stageOutput !== undefined;
  if (!isTerminal(before.status) || isTerminal(after.status)) return false;
  return (stored && nameOf(before.input) !== nameOf(after.input)) || outputsLeft(before, after);
}

/** While a job runs, the output of its last stage names those before; a redrive may go back to one of them, or to none. */
const outputsLeft = (before: JobRow, after: JobRow): boolean =>
  before.stageOutput !== undefined && before.stageOutput !== after.stageOutput;

async function dropPayloads(engine: PayloadEngine, before: JobRow, now: JobRow | undefined): Promise<void> {
  const kept = new Set(now === undefined ? [] : payloadsOf(now).map(nameOf));
  const left = payloadsOf(before).filter((payload) => !kept.has(nameOf(payload)));
  for (const payload of left) await dropPayload(engine, refOf(before), payload);
}

async function dropOutputs(engine: PayloadEngine, before: JobRow, now: JobRow | undefined): Promise<void> {
  if (before.stageOutput === undefined || before.stageOutput === now?.stageOutput) return;
  const ref = refOf(before);
  const kept = new Set(now?.stageOutput === undefined ? [] : await outputKeys(engine, ref, now.stageOutput));
  const left = (await outputKeys(engine, ref, before.stageOutput)).filter((key) => !kept.has(key));
  for (const key of left) await dropOutput(engine, ref, key);
}

const payloadsOf = ({ input, result }: JobRow): PayloadRef[] =>
  [input, result].filter((payload): payload is PayloadRef => payload !== undefined && !('inline' in payload));

function nameOf(payload: PayloadRef): string | undefined {
  if ('item' in payload) return payload.item;
  return 'object' in payload ? payload.object : undefined;
}
