// The kinds of jobs that a deployment knows. A pipeline's definition fits PipelineKind, so that nothing here knows pipelines.
import type * as z from 'zod';
import type { Epoch, JobId, JobRef } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Objects } from '../core/objects.ts';
import type { Clock, DurationMs } from '../core/time.ts';
import type { ChildEnd, ChildOptions, WaitOptions } from './context/types.ts';
import { checkJob } from './kind-check.ts';
import type { Lane } from './row.ts';

/** What a handler is given of the world. */
export interface JobContext {
  readonly ref: JobRef;
  /** Raised by every claim: (job, epoch) names one run and never repeats. */
  readonly epoch: Epoch;
  /** 1 for the first; counts failed attempts only. */
  readonly attempt: number;
  /**
   * Aborts on cancel, on a lost lease, on the kind's time-out, at the job's deadline, and when the process must stop; a few seconds
   * remain to checkpoint. Throw then, or return `continueFrom`; any other value returned after it aborted does not count.
   */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly clock: Clock;
  readonly objects: Objects;
  /** `<tenant>/<workspace>/jobs/<job id>/<epoch>`: keys below it belong to this run alone. */
  readonly objectPrefix: string;
  /** Where `continueFrom` or the last checkpoint left off; undefined at the start. */
  readonly cursor?: unknown;
  readonly correlationId: string;
  /** Kept for the next heartbeat; `total` is 0 when unknown, `note` is cut to 200 characters. May be called as often as one likes. */
  progress(done: number, total: number, note?: string): void;
  /**
   * Commits where to go on: the next run finds it as `ctx.cursor` (any JSON value of at most 16 KiB), and a run that is stopped because
   * its process ran out of time goes on there at no cost. Throws Fault RESULT_INVALID, LIMIT_EXCEEDED, or CRASHED when the lease is lost.
   */
  checkpoint(cursor: unknown): Promise<void>;
  /**
   * Runs `work` once a job: its answer (any JSON value of at most 16 MiB) is kept under the name before this resolves, and later runs get
   * it as it was kept. A run that dies before that works it out again, and of two results the first kept counts. Names are of 1 to 200
   * characters, each used once a run; another input makes other steps. Nothing of the context that is kept may be called inside.
   */
  step<T>(name: string, work: () => Promise<T> | T): Promise<T>;
  /**
   * What the job was told as `POST /v1/jobs/{id}/signal`. Where it was told nothing yet the run ends, at no cost, and the handler starts
   * again from its beginning once it was. Throws WaitTimedOut, then and in every later run, when it did not come in time.
   */
  waitFor<T = unknown>(signal: string, options?: WaitOptions): Promise<T>;
  /**
   * Submits a child, once, however often the handler runs; a redrive of this job submits children of its own. At most 1,000 a run.
   * Children are cancelled when this job is. Throws what a submit throws (Fault UNKNOWN_KIND, VALIDATION_FAILED, LIMIT_EXCEEDED).
   */
  submit(kind: string, input: unknown, options?: ChildOptions): Promise<JobId>;
  /** How every child that this run has submitted ended, in that order. Until all have, the run ends as `waitFor` ends it. */
  waitForChildren(): Promise<readonly ChildEnd[]>;
}

interface KeyedBy<Input> {
  /** Of a job, by its input: 1 to 200 characters; the kind where left out. Called at submit. */
  key?(input: Input): string;
}

/** What a job kind and a pipeline have in common. */
export interface KindOptions<Input = unknown> {
  /** Failing attempts until the job is dead; default: the engine's. */
  readonly attempts?: number | undefined;
  /** Lost leases until the job is dead; default: the engine's. */
  readonly crashes?: number | undefined;
  /** How long after its submit (or its `notBefore`) a job has to be done, over all its attempts; without end by default. */
  readonly deadline?: DurationMs | undefined;
  /** Default `default`. */
  readonly lane?: Lane | undefined;
  /** Makes event rows only, and never a webhook. */
  readonly internal?: boolean | undefined;
  /** The Lambda function of its own that runs it (a pipeline: its stages); the shared one where left out. Embedded, one process runs all. */
  readonly function?: string | undefined;
  /**
   * At most `limit` (1 to 100,000) jobs with the same key run at once; the others are parked at no cost. A pipeline's run holds its place
   * from its first stage to its last.
   */
  readonly concurrency?: (KeyedBy<Input> & { readonly limit: number }) | undefined;
  /** At most `perMinute` jobs with the same key start a minute, up to `burst` (1 by default) of them together. */
  readonly rate?: (KeyedBy<Input> & { readonly perMinute: number; readonly burst?: number | undefined }) | undefined;
}

export interface JobKind<Input = unknown> extends KindOptions<Input> {
  readonly type: 'job';
  readonly kind: string;
  readonly input: z.ZodType<Input>;
  /** How long one run may take; none by default. */
  readonly timeout?: DurationMs | undefined;
  /** Up to ten of these may be run side by side in one invocation; only with a time-out of at most 20 s. */
  readonly batch?: true | undefined;
  /** Answers the result (any JSON value), or `snooze`, `continueFrom`, `cancel`. */
  run(ctx: JobContext, input: Input): Promise<unknown>;
}

/** A pipeline as far as the engine cares: it is run by an execution. */
export interface PipelineKind<Input = unknown> extends KindOptions<Input> {
  readonly type: 'pipeline';
  readonly kind: string;
  readonly input: z.ZodType;
  readonly version: string;
}

export type AnyKind = JobKind | PipelineKind;

export interface Registry {
  find(kind: string): AnyKind | undefined;
  /** Sorted. */
  names(): readonly string[];
}

/**
 * A job kind from its schema and handler. Throws a TypeError for a definition that nothing could run.
 * @example const hello = defineJob({ kind: 'hello', input: z.object({ name: z.string() }), run: async (_ctx, { name }) => `hi ${name}` });
 */
export function defineJob<Input>(definition: Omit<JobKind<Input>, 'type'>): JobKind<Input> {
  checkJob(definition);
  return { ...definition, type: 'job' };
}

/** Throws a TypeError when two kinds share a name. */
export function createRegistry(kinds: readonly AnyKind[]): Registry {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const twice = kinds.find((kind, at) => kinds.findIndex((each) => each.kind === kind.kind) < at);
  if (twice !== undefined) throw new TypeError(`two kinds share the name "${twice.kind}"`);
  const names = [...byName.keys()].sort();
  return { find: (kind) => byName.get(kind), names: () => names };
}
