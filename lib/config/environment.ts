// The one schema of what a function reads from its environment, and the only reader of it. The constructs of infra/ take the
// types from here, so that a function is never deployed without what it needs.
import * as z from 'zod';
import { describerSchema } from './describer.ts';
import { embedderSchema } from './embedder.ts';

const text = z.string().min(1);
const json = z.string().transform((given, context) => {
  try {
    return JSON.parse(given) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'not JSON' });
    return z.NEVER;
  }
});
const queuesByFunction = z.record(
  z.string(),
  z.object({
    /** The URL of the queue of each lane; `due` is never behind a backlog. */
    default: text,
    due: text,
    /** The kinds that the function runs; `worker` runs every kind that is named nowhere. */
    kinds: z.array(z.string()).default([]),
  }),
);

/** docs/configuration.md is made of them. */
export const variables = {
  TABLE_NAME: text.meta({ description: 'The one table.' }),
  BUCKET_NAME: text.meta({ description: 'Files, parts, manifests, large payloads.' }),
  QUEUES: json.pipe(queuesByFunction.refine((queues) => 'worker' in queues, 'the worker has no queues')).meta({
    description: 'JSON: the queues of each function that hears doorbells, by its name; `worker` is among them.',
  }),
  STATE_MACHINES: json
    .pipe(z.record(z.string(), z.string()))
    .meta({ description: 'JSON: the ARN of the state machine of each pipeline kind.' }),
  KINDS: json.pipe(z.array(z.string())).meta({ description: 'JSON: the names of all kinds that are deployed.' }),
  TENANT_CAP: z.coerce
    .number()
    .int()
    .min(0)
    .max(100_000)
    .meta({ description: 'The most jobs of one tenant that run at once; 0 for no limit.', unit: 'jobs' }),
  WORKSPACE_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .meta({ description: 'Bytes that a workspace may store; 0 for no limit.', unit: 'bytes' }),
  DUCKDB_MEMORY_MB: z.coerce
    .number()
    .int()
    .min(64)
    .meta({ description: 'Megabytes (10^6 bytes) that DuckDB may hold in this function.', unit: 'megabytes' }),
  DESCRIBER: json
    .pipe(describerSchema.nullable())
    .meta({ description: 'JSON: the model that describes tables; null for none.' }),
  EMBEDDER: json
    .pipe(embedderSchema.nullable())
    .meta({ description: 'JSON: the embedding model that search is fused with; null for none.' }),
  WATCHERS: z.coerce
    .number()
    .int()
    .min(1)
    .meta({ description: 'Callers of the watch function that wait at once, at most.', unit: 'callers' }),
} as const;

type Variables = typeof variables;
export type VariableName = keyof Variables;

/** Which function reads what; a function that is not named here cannot be built. */
export const environments = {
  api: ['TABLE_NAME', 'BUCKET_NAME', 'QUEUES', 'TENANT_CAP', 'WORKSPACE_BYTES'],
  query: ['TABLE_NAME', 'BUCKET_NAME', 'DUCKDB_MEMORY_MB', 'QUEUES', 'TENANT_CAP', 'EMBEDDER'],
  watch: ['TABLE_NAME', 'BUCKET_NAME', 'WATCHERS'],
  worker: ['TABLE_NAME', 'BUCKET_NAME', 'QUEUES', 'STATE_MACHINES', 'TENANT_CAP', 'WORKSPACE_BYTES', 'EMBEDDER'],
  stage: ['TABLE_NAME', 'BUCKET_NAME', 'QUEUES', 'TENANT_CAP', 'WORKSPACE_BYTES', 'DESCRIBER'],
  settle: ['TABLE_NAME', 'QUEUES'],
  reaper: ['TABLE_NAME', 'QUEUES', 'STATE_MACHINES', 'KINDS', 'TENANT_CAP'],
  relay: ['TABLE_NAME', 'BUCKET_NAME', 'QUEUES'],
  'dead-letter': ['TABLE_NAME', 'QUEUES'],
  inbox: ['TABLE_NAME', 'QUEUES', 'TENANT_CAP'],
} as const satisfies Record<string, readonly VariableName[]>;

export type FunctionName = keyof typeof environments;
/** What a function reads, parsed. */
export type Environment<F extends FunctionName> = {
  readonly [V in (typeof environments)[F][number]]: z.output<Variables[V]>;
};
/** What a construct must set for a function, as text. */
export type EnvironmentText<F extends FunctionName> = Readonly<Record<(typeof environments)[F][number], string>>;

/** Parses what `name` needs; throws one Error that names everything that is missing or cannot be read. */
export function readEnvironment<F extends FunctionName>(
  name: F,
  from: NodeJS.ProcessEnv = process.env,
): Environment<F> {
  const wanted: readonly VariableName[] = environments[name];
  const shape = Object.fromEntries(wanted.map((variable) => [variable, variables[variable]]));
  const parsed = z.object(shape).safeParse(from, { jitless: true });
  if (parsed.success) return parsed.data as unknown as Environment<F>;
  const problems = parsed.error.issues.map(({ path, message }) =>
    from[String(path[0])] === undefined ? `${String(path[0])} is missing` : `${String(path[0])}: ${message}`,
  );
  throw new Error(`The environment of the function ${name} is incomplete. ${problems.join('; ')}.`);
}

/** What a child process needs of this process' environment to start at all, and nothing that is secret. */
export function childEnvironment(from: NodeJS.ProcessEnv = process.env): Readonly<Record<string, string>> {
  const kept = Object.entries(from).filter(([name]) => name === 'PATH' || name === 'LD_LIBRARY_PATH');
  return Object.fromEntries(kept) as Record<string, string>;
}
