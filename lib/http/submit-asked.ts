// A submit that a caller asked for over HTTP, under an idempotency key or not.
import { Fault } from '../core/fault.ts';
import type { JobRow } from '../job/row.ts';
import type { SubmitEngine, SubmitRequest, Submitted } from '../job/submit/submit.ts';
import type { Caller } from './auth.ts';
import type { JobParts } from './deps.ts';
import { isReplay, type Named, namedBy } from './idempotency.ts';
import { type JobRequest, submitRequestOf } from './job-request.ts';
import type { Ids } from './route.ts';

export interface Asked extends Submitted {
  /** The job of an earlier request under the same key. */
  readonly replayed: boolean;
}

interface AskedBy {
  readonly deps: JobParts;
  readonly caller: Caller;
  readonly ids: Ids;
}

/**
 * Submits by `write`. `key`: the parts of the idempotency key. Throws what `write` throws, Fault UNKNOWN_KIND, VALIDATION_FAILED and
 * IDEMPOTENCY_KEY_REUSED.
 */
export async function submitAsked(
  { deps, caller, ids }: AskedBy,
  asked: JobRequest,
  key: readonly string[] | undefined,
  write: (engine: SubmitEngine, request: SubmitRequest) => Promise<Submitted>,
): Promise<Asked> {
  const named = key && namedBy(caller, asked, ...key);
  const { correlationId, traceparent } = ids;
  const submitted = await unlessThere({ deps, caller, named }, async () =>
    write(deps, { ...(await submitRequestOf(deps, caller, asked)), ...named, correlationId, traceparent }),
  );
  return { ...submitted, replayed: isReplay(submitted, named?.requestHash) };
}

/** What was right when it was first asked may be wrong by now, such as a time; a repeated request is answered all the same. */
async function unlessThere(
  { deps, caller, named }: Pick<AskedBy, 'deps' | 'caller'> & { readonly named: Named | undefined },
  submit: () => Promise<Submitted>,
): Promise<Submitted> {
  try {
    return await submit();
  } catch (thrown) {
    if (named === undefined || !(thrown instanceof Fault)) throw thrown;
    const row = await jobNamed(deps, caller, named);
    if (row === undefined) throw thrown;
    return { row, created: false };
  }
}

/** The job that has the id of a key already, if any; whether for the same request, `isReplay` says. */
export async function jobNamed(
  { store }: Pick<JobParts, 'store'>,
  { tenant, workspace }: Caller,
  { id }: Pick<Named, 'id'>,
): Promise<JobRow | undefined> {
  const row = await store.get({ tenant, workspace, id });
  return row?.tombstone === true ? undefined : row;
}
