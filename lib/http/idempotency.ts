// Idempotency keys: the id of the job is worked out from the key, so that a race of equal requests is one conditional put. A hash of what
// was asked for is kept with the row, and tells a repeated request from another one. A key counts for as long as its job's row lives.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { canonicalJson } from '../core/canonical-json.ts';
import { Fault } from '../core/fault.ts';
import { derivedId, type JobId, type Scope } from '../core/ids.ts';
import type { Submitted } from '../job/submit/submit.ts';

export const KEY_HEADER = 'Idempotency-Key';

export const idempotencyKey = z
  .string()
  .regex(/^[!-~](?:[ -~]{0,253}[!-~])?$/, 'It is not 1 to 255 printable ASCII characters.')
  .meta({ description: '1 to 255 printable ASCII characters.', examples: ['order-4711'] });

export const keyHeader = {
  [KEY_HEADER]:
    'The same key and body again answer the same job, for as long as its row lives (30 days after its end, 90 if it died). 1 to 255 printable ASCII characters.',
};

/** The key of a request; undefined where it names none. Throws Fault VALIDATION_FAILED. */
export function keyOf({ headers }: Request): string | undefined {
  const given = headers.get(KEY_HEADER);
  if (given === null) return undefined;
  const parsed = idempotencyKey.safeParse(given);
  if (parsed.success) return parsed.data;
  const detail = 'It is not 1 to 255 printable ASCII characters.';
  const errors = [{ pointer: `#/headers/${KEY_HEADER}`, detail }];
  throw new Fault('VALIDATION_FAILED', `${KEY_HEADER}: ${detail}`, { errors });
}

export interface Named {
  readonly id: JobId;
  readonly requestHash: string;
}

/** The id of the one job that this key has in its workspace, and the hash of what is asked for under it. */
export const namedBy = ({ tenant, workspace }: Scope, asked: object, ...key: readonly string[]): Named => ({
  id: derivedId('job', tenant, workspace, 'idempotency', ...key),
  requestHash: createHash('sha256').update(canonicalJson(asked)).digest('hex'),
});

/** Whether the answer is the job of an earlier request under the same key. Throws Fault IDEMPOTENCY_KEY_REUSED where that one was another. */
export function isReplay({ row, created, duplicate }: Submitted, requestHash: string | undefined): boolean {
  if (created || duplicate === true || requestHash === undefined) return false;
  if (row.requestHash === requestHash) return true;
  throw new Fault('IDEMPOTENCY_KEY_REUSED', `The job ${row.id} was submitted under this key with another body.`, {
    extra: { jobId: row.id },
  });
}
