// The one place where an error becomes an answer: an RFC 9457 problem from the catalogue. What is not in the catalogue is INTERNAL,
// logged under the request id, and tells the caller nothing else.
import * as z from 'zod';
import { asError } from '../core/check.ts';
import { Fault, type FaultCode, faultCatalogue } from '../core/fault.ts';
import type { Log } from '../core/log.ts';
import { StoreUnavailable } from '../job/ports.ts';
import type { Ids } from './route.ts';

export const problemSchema = z.lazy(() =>
  z
    .looseObject({
      type: z
        .string()
        .meta({ description: 'A page about this code, relative to the API, e.g. `/v1/problems/not-found`.' }),
      title: z.string().meta({ description: 'What happened, the same for every problem of this code.' }),
      status: z.int(),
      detail: z.string().meta({ description: 'What is particular to this case.' }),
      code: z.string().meta({ description: 'Stable; switch on this.' }),
      next: z.string().meta({ description: 'What to do next.' }),
      instance: z.string().meta({ description: 'The path that was asked for.' }),
      requestId: z.string(),
      errors: z
        .array(z.strictObject({ pointer: z.string(), detail: z.string() }))
        .optional()
        .meta({ description: 'The fields that are wrong, by JSON Pointer; `#/query/…` for a query parameter.' }),
    })
    .meta({ id: 'Problem' }),
);

const kebab = (code: string): string => code.toLowerCase().replaceAll('_', '-');

export const problemPath = (code: FaultCode): string => `/v1/problems/${kebab(code)}`;

export const codeOfSlug = (slug: string): FaultCode | undefined =>
  (Object.keys(faultCatalogue) as FaultCode[]).find((code) => kebab(code) === slug);

const RETRY_AFTER_SECONDS = 5;
/** Of what is over by itself. */
const passing: readonly FaultCode[] = ['UNAVAILABLE', 'INDEX_DAMAGED'];
const INSTANCE_LENGTH = 200;

/** What a caller may know of anything that was thrown. */
export function faultOf(thrown: unknown): Fault {
  if (thrown instanceof Fault && thrown.code !== 'INTERNAL') return thrown;
  if (thrown instanceof StoreUnavailable) {
    return new Fault('UNAVAILABLE', 'A service behind does not answer or throttles; nothing more is known.', {
      cause: thrown,
    });
  }
  return new Fault('INTERNAL', 'The request failed for a reason that is in the logs under the request id.', {
    cause: thrown,
  });
}

/** Logs what callers are not told: only faults of ours, never their mistakes. */
function report(fault: Fault, ids: Ids, path: string, log: Log): void {
  if (fault.status < 500) return;
  const cause = asError(fault.cause ?? fault);
  const fields = { requestId: ids.requestId, correlationId: ids.correlationId, path, code: fault.code };
  log.error('request failed', { ...fields, error: cause.name, message: cause.message, stack: cause.stack });
}

interface Asked {
  readonly ids: Ids;
  readonly path: string;
  readonly log: Log;
}

/** The problem as JSON. */
export const problemBody = (thrown: unknown, asked: Asked): z.output<typeof problemSchema> =>
  bodyOf(faultOf(thrown), asked);

function bodyOf(fault: Fault, { ids, path, log }: Asked): z.output<typeof problemSchema> {
  const { status, title, next } = faultCatalogue[fault.code];
  const instance = path.slice(0, INSTANCE_LENGTH);
  report(fault, ids, instance, log);
  return {
    ...fault.extra,
    type: problemPath(fault.code),
    title,
    status,
    detail: fault.detail,
    code: fault.code,
    next,
    instance,
    requestId: ids.requestId,
    ...(fault.errors.length > 0 && { errors: [...fault.errors] }),
  };
}

export function problemResponse(thrown: unknown, asked: Asked): Response {
  const fault = faultOf(thrown);
  const headers = new Headers({ 'content-type': 'application/problem+json' });
  if (passing.includes(fault.code)) headers.set('retry-after', String(RETRY_AFTER_SECONDS));
  if (fault.code === 'UNAUTHORIZED') headers.set('www-authenticate', 'Bearer');
  if (typeof fault.extra['allow'] === 'string') headers.set('allow', fault.extra['allow']);
  return new Response(JSON.stringify(bodyOf(fault, asked)), { status: fault.status, headers });
}
