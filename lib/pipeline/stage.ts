// A stage: one typed piece of a pipeline. It reads what the stages before it committed and returns what the next one needs; data that is
// large goes to the object store, under `ctx.objectPrefix`, which no other attempt shares.
import type * as z from 'zod';
import type { SnapshotId } from '../core/ids.ts';
import type { HandlerAnswer } from '../job/run/outcome.ts';
import type { Followed, FollowUp } from '../job/waits/owed.ts';
import type { Publication, StoredBytes } from '../job/ports.ts';
import type { JobContext } from '../job/registry.ts';

export interface StageContext extends JobContext {
  /** What an earlier stage of this pipeline returned; a TypeError when it has not been committed. */
  outputOf<Out>(stage: Pick<Stage<never, Out>, 'name' | 'output'>): Promise<Out>;
  /**
   * A folder on the local disk, made on first use. The stages of a step share it, so that one may leave a file for the next, which has to
   * fetch it anew when it is not there (a resume starts anywhere). It is removed when the step ends, however it ends.
   */
  folder(): Promise<string>;
}

export interface Stage<In = never, Out = unknown> {
  /** Lower case, digits and hyphens; it is how rows and objects name the stage. */
  readonly name: string;
  /** What it returns, as JSON. For the last stage: the result of the job. */
  readonly output: z.ZodType<Out>;
  /** Returns its output, or how the attempt ends instead: `snooze`, `cancel`, `continueFrom`; the last stage may `thenSubmit` or `publish`. */
  readonly run: (ctx: StageContext, input: In) => Promise<Out | HandlerAnswer | Followed<Out> | Publishing<Out>>;
}

/** Names a stage; the compiler reads its types out of `run` and `output`. */
export const defineStage = <In, Out>(stage: Stage<In, Out>): Stage<In, Out> => stage;

const tag = Symbol('millrace.publishing');

export interface PublishingParts<Out> {
  /** At most `MAX_PUBLICATIONS`. */
  readonly publications: readonly Publication[];
  /** The result of the job, given the snapshots that a newer one has overtaken; may be asked more than once. */
  readonly result: (superseded: readonly SnapshotId[]) => Out;
  /** Bytes of new objects that the snapshots name. */
  readonly stored?: StoredBytes | undefined;
  /** How many warnings came up; kept in the job's row. */
  readonly warnings: number;
  /** A job to submit once this one has succeeded. */
  readonly next?: FollowUp | undefined;
}

/** The end of a pipeline that makes snapshots visible in the write that lets the job succeed. */
export interface Publishing<Out> {
  readonly [tag]: PublishingParts<Out>;
}

/** Returned by the last stage of a pipeline. */
export const publish = <Out>(parts: PublishingParts<Out>): Publishing<Out> => ({ [tag]: parts });

/** What a stage publishes; undefined when it returned its output, or another answer. */
export const publishingOf = (returned: unknown): PublishingParts<unknown> | undefined =>
  typeof returned === 'object' && returned !== null && tag in returned
    ? (returned as Publishing<unknown>)[tag]
    : undefined;
