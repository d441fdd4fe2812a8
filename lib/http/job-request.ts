// What callers ask of a job, as JSON, and the submit that it becomes.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import type { JobId } from '../core/ids.ts';
import { days, type EpochMs, epochMs, later, seconds } from '../core/time.ts';
import { laneSchema } from '../job/row.ts';
import type { SubmitRequest } from '../job/submit/submit.ts';
import type { Caller } from './auth.ts';
import type { HttpDeps, JobParts } from './deps.ts';
import { callersKey, gateFields } from './gate-fields.ts';
import { idempotencyKey } from './idempotency.ts';
import { idSchema, isoTime } from './schemas.ts';
import { requireKindScope } from './kind-scopes.ts';

/** How far ahead something may be asked for. */
export const FARTHEST = days(365);

export const kindName = z.string().min(1).max(100);

/** How a job is run, whoever starts it. */
export const runFields = {
  lane: laneSchema
    .optional()
    .meta({ description: 'Default: the lane of the kind. `due` is for work that is waited for.' }),
};

const requestFields = {
  kind: kindName,
  input: z.unknown().meta({ description: 'Any JSON; checked by the schema of the kind.' }),
  notBefore: isoTime
    .optional()
    .meta({ description: 'Start then, or as soon as may be after it; at most 365 days away.' }),
  delaySeconds: z
    .int()
    .min(0)
    .max(FARTHEST / 1000)
    .optional(),
  startBy: isoTime.optional().meta({ description: 'The job is dropped when it was not started by then.' }),
  parentId: idSchema<JobId>('job')
    .optional()
    .meta({ description: 'A job of this workspace that this one belongs to.' }),
  dedupKey: callersKey(255).optional().meta({ description: 'At most one job that has not ended has this key.' }),
  onDuplicate: z.enum(['keep', 'replace']).optional().meta({
    description:
      'What becomes of the job that has the dedupKey: `keep` (default) answers that job, `replace` cancels it, unless it runs already.',
  }),
  ...gateFields,
  ...runFields,
};

type Times = { readonly notBefore?: string | undefined; readonly delaySeconds?: number | undefined };
const oneStart = ({ notBefore, delaySeconds }: Times): boolean => notBefore === undefined || delaySeconds === undefined;
const twoStarts = { path: ['delaySeconds'], error: 'Give notBefore or delaySeconds, not both.' };
type Keys = { readonly onDuplicate?: string | undefined; readonly dedupKey?: string | undefined };
const hasKey = ({ onDuplicate, dedupKey }: Keys): boolean => onDuplicate === undefined || dedupKey !== undefined;
const noKey = { path: ['onDuplicate'], error: 'It needs a dedupKey.' };

export const jobRequest = z.strictObject(requestFields).refine(oneStart, twoStarts).refine(hasKey, noKey);
export type JobRequest = z.output<typeof jobRequest>;

/** The same as an item of a batch. */
export const batchItem = z.lazy(() =>
  z
    .strictObject({ ...requestFields, idempotencyKey: idempotencyKey.optional() })
    .refine(oneStart, twoStarts)
    .refine(hasKey, noKey),
);

type Needs = Pick<JobParts, 'registry' | 'clock'> & Pick<HttpDeps, 'store'>;

/** Throws Fault UNKNOWN_KIND, or VALIDATION_FAILED with pointers into the request. */
export async function submitRequestOf(
  deps: Needs,
  caller: Caller,
  request: JobRequest,
): Promise<Omit<SubmitRequest, 'correlationId' | 'traceparent'>> {
  const { notBefore: _, delaySeconds: __, startBy: latestStart, ...kept } = request;
  requireKind(deps, request.kind);
  requireKindScope(caller, request.kind);
  const now = deps.clock.now();
  const notBefore = startOf(request, now);
  const startBy = latestStart === undefined ? undefined : latestStartOf(latestStart, notBefore ?? now, now);
  if (request.parentId !== undefined) await requireParent(deps, caller, request.parentId);
  return { ...kept, scope: { tenant: caller.tenant, workspace: caller.workspace }, notBefore, startBy };
}

/** Internal kinds are the engine's own: for callers they do not exist. */
export function requireKind({ registry }: Pick<JobParts, 'registry'>, kind: string): void {
  const open = (name: string) => registry.find(name)?.internal !== true;
  if (registry.find(kind) && open(kind)) return;
  const known = registry.names().filter(open);
  throw new Fault('UNKNOWN_KIND', `There is no kind of that name. Known: ${known.join(', ')}.`, {
    extra: { known },
    errors: [{ pointer: '#/kind', detail: 'No such kind is deployed.' }],
  });
}

const wrong = (field: string, detail: string): Fault =>
  new Fault('VALIDATION_FAILED', `#/${field}: ${detail}`, { errors: [{ pointer: `#/${field}`, detail }] });

function startOf({ notBefore, delaySeconds }: Times, now: EpochMs): EpochMs | undefined {
  if (delaySeconds !== undefined) return later(now, seconds(delaySeconds));
  if (notBefore === undefined) return undefined;
  const start = epochMs(Date.parse(notBefore));
  if (start > later(now, FARTHEST)) throw wrong('notBefore', 'It is more than 365 days away.');
  // A time that is past says nothing of the job: it could start when it was submitted.
  return start > now ? start : undefined;
}

function latestStartOf(startBy: string, start: EpochMs, now: EpochMs): EpochMs {
  const latest = epochMs(Date.parse(startBy));
  if (latest <= now) throw wrong('startBy', 'It is past.');
  if (latest <= start) throw wrong('startBy', 'It is not after the time at which the job may start.');
  if (latest > later(now, days(2 * 365))) throw wrong('startBy', 'It is more than two years away.');
  return latest;
}

async function requireParent({ store }: Needs, { tenant, workspace }: Caller, id: JobId): Promise<void> {
  const parent = await store.get({ tenant, workspace, id });
  if (parent === undefined || parent.tombstone === true)
    throw wrong('parentId', 'There is no such job in this workspace.');
}
