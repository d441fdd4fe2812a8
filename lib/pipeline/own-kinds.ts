// Kinds that a user brings, jobs and pipelines: under names that the engine does not keep for itself, and handed over as one list.
import { checkJob, checkKind, refuseReserved } from '../job/kind-check.ts';
import { defineJob as defineAnyJob, type JobKind } from '../job/registry.ts';
import { type Pipeline, type PipelineDefinition, type PipelineOptions, pipeline } from './definition.ts';

/** What `defineJob` and `definePipeline(…).stage(…)` answer. */
export type OwnKind = JobKind | PipelineDefinition;

/**
 * A job kind of your own, from its schema and handler. Throws a TypeError for a definition that nothing could run.
 * @example
 * export const hello = defineJob({
 *   kind: 'hello',
 *   input: z.strictObject({ name: z.string() }),
 *   run: async (ctx, { name }) => `Hello, ${name}, at attempt ${ctx.attempt}.`,
 * });
 */
export function defineJob<Input>(definition: Omit<JobKind<Input>, 'type'>): JobKind<Input> {
  const kind = defineAnyJob(definition);
  refuseReserved(kind);
  return kind;
}

/**
 * Starts a pipeline of your own; each stage's output is the next one's input, or it does not compile. Throws a TypeError for options that
 * nothing could run.
 * @example definePipeline('invoice', { input: z.strictObject({ key: z.string() }), version: '1' }).stage(read).stage(book)
 */
export function definePipeline<In>(kind: string, options: PipelineOptions<In>): Pick<Pipeline<In>, 'stage'> {
  const started = pipeline(kind, options);
  refuseReserved({ kind });
  return started;
}

/**
 * What a file of own kinds exports as `kinds`, checked once more, since the file may have made it in any way. Throws a TypeError that says
 * what is wrong in `file`.
 */
export function readOwnKinds(exported: unknown, file: string): readonly OwnKind[] {
  if (!Array.isArray(exported) || !exported.every(isKind))
    throw new TypeError(
      `${file} must export \`kinds\`: an array of what defineJob and definePipeline(…).stage(…) answer.`,
    );
  for (const kind of exported) {
    refuseReserved(kind);
    if (kind.type === 'job') checkJob(kind);
    else checkKind(kind);
  }
  return exported;
}

/** A pipeline without a stage has none of these. */
const isKind = (value: unknown): value is OwnKind =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  (value.type === 'job' || (value.type === 'pipeline' && 'stages' in value));
