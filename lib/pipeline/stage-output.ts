// What a stage returned, written once under a name of its attempt's own: beside the row where it is small, which costs an eighth of an
// object, and in the object store otherwise. It names the outputs before it, so that the row needs only the key of the last one.
import * as z from 'zod';
import { asError } from '../core/check.ts';
import { Fault } from '../core/fault.ts';
import type { JobRef } from '../core/ids.ts';
import { objectKey } from '../core/objects.ts';
import type { Engine } from '../job/engine.ts';
import { MAX_ITEM, objectPrefixOf, toJson } from '../job/payload.ts';
import { type JobRow, refOf } from '../job/row.ts';
import type { Stage } from './stage.ts';
import { writeOnce } from './write-once.ts';

const storedSchema = z.lazy(() =>
  z.strictObject({
    v: z.literal(1),
    stage: z.string(),
    output: z.unknown(),
    /** Keys of the outputs of the stages before, by stage. */
    earlier: z.record(z.string(), z.string()),
  }),
);
export type StoredOutput = z.infer<typeof storedSchema> & { readonly key: string };

/**
 * A stage's output by its schema, as JSON. Throws the Fault OUTPUT_INVALID, which names the first place that is wrong, also for what JSON
 * cannot hold.
 */
export function outputJson(stage: Pick<Stage, 'name' | 'output'>, value: unknown): string {
  const parsed = stage.output.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const place = (issue?.path ?? []).map(String).join('.');
    throw new Fault('OUTPUT_INVALID', `Stage ${stage.name}: ${place === '' ? 'the output' : place}: ${issue?.message}`);
  }
  try {
    return toJson(parsed.data) ?? 'null';
  } catch (cause) {
    throw new Fault('OUTPUT_INVALID', `Stage ${stage.name} returned what JSON cannot hold.`, { cause });
  }
}

type Stores = Pick<Engine, 'store' | 'objects'>;

/** What the key of an output that stands beside the row begins with. */
const ITEM = 'item:';

/** Writes the output of a stage of this run of the job, and returns it as it will be read. */
export async function saveOutput(
  stores: Stores,
  row: JobRow,
  stage: Stage,
  value: unknown,
  before: StoredOutput | undefined,
): Promise<StoredOutput> {
  const earlier = before === undefined ? {} : { ...before.earlier, [before.stage]: before.key };
  const stored = { v: 1, stage: stage.name, output: JSON.parse(outputJson(stage, value)) as unknown, earlier } as const;
  return { ...stored, key: await writeStored(stores, row, stage, JSON.stringify(stored)) };
}

async function writeStored({ store, objects }: Stores, row: JobRow, stage: Stage, json: string): Promise<string> {
  const ref = refOf(row);
  if (Buffer.byteLength(json) > MAX_ITEM) {
    const key = objectKey(...objectPrefixOf(ref, row.epoch).split('/'), `${stage.name}.json`);
    await writeOnce(objects, key, json);
    return key;
  }
  const name = `output-${row.epoch}-${stage.name}`;
  // Only this very write, sent twice, can have taken the name.
  await store.putPayload(ref, name, json);
  return `${ITEM}${name}`;
}

/** Reads a committed output. Throws the Fault INPUT_UNREADABLE, for what a row refers to has to be there. */
export async function loadOutput({ store, objects }: Stores, ref: JobRef, key: string): Promise<StoredOutput> {
  const json = key.startsWith(ITEM) ? await store.getPayload(ref, key.slice(ITEM.length)) : await objects.get(key);
  if (json === undefined) throw new Fault('INPUT_UNREADABLE', `The output of an earlier stage is missing: ${key}.`);
  try {
    const text = typeof json === 'string' ? json : Buffer.from(json).toString('utf8');
    return { ...storedSchema.parse(JSON.parse(text)), key };
  } catch (thrown) {
    throw new Fault('INPUT_UNREADABLE', `The output of an earlier stage is damaged: ${key}.`, {
      cause: asError(thrown),
    });
  }
}

/** The keys of an output and of those before it, which it names; the output's own comes last, so that the others are found until it goes. */
export async function outputKeys(stores: Stores, ref: JobRef, key: string): Promise<readonly string[]> {
  try {
    return [...Object.values((await loadOutput(stores, ref, key)).earlier), key];
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'INPUT_UNREADABLE') return [key];
    throw thrown;
  }
}

/** Throws StoreUnavailable. */
export const dropOutput = ({ store, objects }: Stores, ref: JobRef, key: string): Promise<void> =>
  key.startsWith(ITEM) ? store.dropPayload(ref, key.slice(ITEM.length)) : objects.delete(key);

/** An earlier output as its stage's schema reads it today. Throws the Fault INPUT_UNREADABLE. */
export function readOutput<Out>(stage: Pick<Stage<never, Out>, 'name' | 'output'>, stored: StoredOutput): Out {
  const parsed = stage.output.safeParse(stored.output);
  if (parsed.success && stored.stage === stage.name) return parsed.data;
  const detail = `What stage ${stored.stage} committed does not fit ${stage.name} of the deployed version; submit the job anew.`;
  throw new Fault('INPUT_UNREADABLE', detail, { cause: parsed.error });
}
