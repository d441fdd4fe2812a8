// What passes between a state machine and its functions: ids and an epoch, never data. Data goes through the object store.
import * as z from 'zod';
import type { Epoch, JobId, TenantId, WorkspaceId } from '../core/ids.ts';
import type { Doorbell } from '../job/ports.ts';

/** A state's input may hold this many bytes; a longer one ends an execution in a way that nothing can catch. */
export const MAX_STATE_BYTES = 262_144;

/** The execution of one claim. At most 80 characters, and unique, since (job, epoch) never repeats. */
export const executionName = (bell: Doorbell): string => `${bell.ref.id}-${bell.epoch}`;

/** The input of an execution, as JSON. Throws a RangeError when it could not pass between states. */
export function executionInput(bell: Doorbell): string {
  const { tenant, workspace, id } = bell.ref;
  const json = JSON.stringify({ tenant, workspace, id, epoch: bell.epoch });
  const bytes = Buffer.byteLength(json);
  if (bytes >= MAX_STATE_BYTES) throw new RangeError(`an execution's input of ${bytes} bytes is over the limit`);
  return json;
}

const id = <T>() => z.custom<T>((value) => typeof value === 'string' && value !== '');
const bellSchema = z.object({
  tenant: id<TenantId>(),
  workspace: id<WorkspaceId>(),
  id: id<JobId>(),
  epoch: z.custom<Epoch>((value) => Number.isSafeInteger(value)),
});
const stageCallSchema = z.lazy(() => bellSchema.extend({ pipeline: z.string(), step: z.string() }));
const settleCallSchema = z.lazy(() =>
  bellSchema.extend({
    error: z.object({ Error: z.string().optional(), Cause: z.string().optional() }).optional(),
  }),
);
/** An EventBridge event about an execution that failed, timed out or was stopped. */
const statusEventSchema = z.lazy(() =>
  z.object({
    source: z.literal('aws.states'),
    detail: z.object({ input: z.string(), cause: z.string().nullish() }),
  }),
);

const bellOf = ({ tenant, workspace, id, epoch }: z.infer<typeof bellSchema>): Doorbell => ({
  ref: { tenant, workspace, id },
  epoch,
});

export interface StageCall {
  readonly bell: Doorbell;
  readonly step: string;
  /** Aborts when the invocation runs out of time, or, with the reason `ShuttingDown`, when the process has to end (job/hurry.ts). */
  readonly signal?: AbortSignal | undefined;
}

/** Reads what a state machine sends to the stage function. Throws a ZodError. */
export function parseStageCall(event: unknown): StageCall & { readonly pipeline: string } {
  const call = stageCallSchema.parse(event);
  return { bell: bellOf(call), step: call.step, pipeline: call.pipeline };
}

export interface SettleCall {
  readonly bell: Doorbell;
  /** What the failed state, or the ended execution, says of why. */
  readonly cause?: string | undefined;
}

/** Reads what the settle function hears: from the catch of a state machine, or from an execution's status event. Throws a ZodError. */
export function parseSettleCall(event: unknown): SettleCall {
  const status = statusEventSchema.safeParse(event);
  if (status.success) {
    const bell = bellSchema.parse(JSON.parse(status.data.detail.input));
    return { bell: bellOf(bell), cause: status.data.detail.cause ?? undefined };
  }
  const call = settleCallSchema.parse(event);
  return { bell: bellOf(call), cause: call.error?.Cause };
}
