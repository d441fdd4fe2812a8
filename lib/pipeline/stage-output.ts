// What a stage returned, as one immutable object at the key of its attempt. It names the outputs before it, so that the row needs only
// the key of the last one.
import * as z from 'zod';
import { asError } from '../core/check.ts';
import { Fault } from '../core/fault.ts';
import { objectKey, type Objects } from '../core/objects.ts';
import { toJson } from '../job/payload.ts';
import type { Stage } from './stage.ts';
import { writeOnce } from './write-once.ts';

const storedSchema = z.strictObject({
  v: z.literal(1),
  stage: z.string(),
  output: z.unknown(),
  /** Keys of the outputs of the stages before, by stage. */
  earlier: z.record(z.string(), z.string()),
});
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

/** Writes an output at `<prefix>/<stage>.json` and returns it as it will be read. */
export async function saveOutput(
  objects: Objects,
  prefix: string,
  stage: Stage,
  value: unknown,
  before: StoredOutput | undefined,
): Promise<StoredOutput> {
  const key = objectKey(...prefix.split('/'), `${stage.name}.json`);
  const earlier = before === undefined ? {} : { ...before.earlier, [before.stage]: before.key };
  const stored = { v: 1, stage: stage.name, output: JSON.parse(outputJson(stage, value)) as unknown, earlier } as const;
  await writeOnce(objects, key, JSON.stringify(stored));
  return { ...stored, key };
}

/** Reads a committed output. Throws the Fault INPUT_UNREADABLE, for what a row refers to has to be there. */
export async function loadOutput(objects: Objects, key: string): Promise<StoredOutput> {
  const bytes = await objects.get(key);
  if (bytes === undefined) throw new Fault('INPUT_UNREADABLE', `The output of an earlier stage is missing: ${key}.`);
  try {
    return { ...storedSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))), key };
  } catch (thrown) {
    throw new Fault('INPUT_UNREADABLE', `The output of an earlier stage is damaged: ${key}.`, {
      cause: asError(thrown),
    });
  }
}

/** An earlier output as its stage's schema reads it today. Throws the Fault INPUT_UNREADABLE. */
export function readOutput<Out>(stage: Pick<Stage<never, Out>, 'name' | 'output'>, stored: StoredOutput): Out {
  const parsed = stage.output.safeParse(stored.output);
  if (parsed.success && stored.stage === stage.name) return parsed.data;
  const detail = `What stage ${stored.stage} committed does not fit ${stage.name} of the deployed version; submit the job anew.`;
  throw new Fault('INPUT_UNREADABLE', detail, { cause: parsed.error });
}
