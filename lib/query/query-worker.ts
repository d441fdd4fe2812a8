// The child process of query-process.ts: answers the queries that it is sent, one at a time, with nothing of the
// parent's environment. Whatever goes wrong in here costs this process only.
import { readFileSync } from 'node:fs';
import { Fault, type FaultCode } from '../core/fault.ts';
import { systemClock } from '../core/time.ts';
import { askHere } from './ask.ts';
import { createSpare } from './spare.ts';
import type { QueryAnswers, QueryLimits, QueryRequest, QueryTable, QueryWant } from './types.ts';

/** Parent to child. */
export interface QueryOrder {
  readonly want: QueryWant;
  readonly request: QueryRequest;
  readonly tables: readonly QueryTable[];
  readonly limits: QueryLimits;
}

/** Child to parent: `ready` once, then a reply an order; `heldMb` is the memory that it has not given back since. */
export type QueryReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly answer: QueryAnswers[QueryWant]; readonly heldMb: number }
  | {
      readonly kind: 'fault';
      readonly code: FaultCode;
      readonly detail: string;
      readonly errors: Fault['errors'];
      readonly extra: Fault['extra'];
      readonly heldMb: number;
    };

/** Private memory as the cap counts it, touched or not; resident memory where the system does not tell. */
function mappedMb(): number {
  try {
    const kilobytes = /^VmData:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (kilobytes !== undefined) return Number(kilobytes) / 1000;
  } catch {
    // Not Linux: below.
  }
  return process.memoryUsage.rss() / 1e6;
}

const ownMb = mappedMb();
const spare = createSpare();
const send = (reply: QueryReply): void => void process.send?.(reply);

async function answer(order: QueryOrder): Promise<void> {
  try {
    const { want, request, tables, limits } = order;
    const answered = await askHere(want, request, { tables, limits, clock: systemClock, opened: spare.take });
    send({ kind: 'answer', answer: answered, heldMb: mappedMb() - ownMb });
  } catch (error) {
    const fault = error instanceof Fault ? error : new Fault('INTERNAL', 'The query failed.', { cause: error });
    if (fault.code === 'INTERNAL') console.error(error);
    const { code, detail, errors, extra } = fault;
    send({ kind: 'fault', code, detail, errors, extra, heldMb: mappedMb() - ownMb });
  }
  spare.prepare();
}

process.on('message', (order: QueryOrder) => void answer(order));
// A thread of DuckDB may be busy for long, and an orderly exit would wait for it. A parent that was killed shows as either.
for (const gone of ['disconnect', 'error'] as const) process.on(gone, () => process.kill(process.pid, 'SIGKILL'));
send({ kind: 'ready' });
spare.prepare();
