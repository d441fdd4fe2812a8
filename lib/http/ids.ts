// What names a request: its own id, the caller's correlation id, and the trace that it belongs to.
import type { Chance } from '../core/chance.ts';
import { newId } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { Ids } from './route.ts';

const correlationForm = /^[\w.:/=+-]{1,128}$/;
/** W3C Trace Context; all-zero ids are invalid there. */
const traceForm = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A correlation id of another form is replaced by the request's own id, and a malformed traceparent dropped, as W3C says. */
export function idsOf(headers: Headers, { clock, chance }: { clock: Clock; chance: Chance }): Ids {
  const requestId: string = newId('req', clock.now(), chance);
  const asked = headers.get('x-correlation-id') ?? '';
  const traceparent = headers.get('traceparent') ?? '';
  return {
    requestId,
    correlationId: correlationForm.test(asked) ? asked : requestId,
    ...(traceForm.test(traceparent) && { traceparent }),
  };
}
