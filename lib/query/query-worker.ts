// The child process of query-process.ts: answers the queries that it is sent, one at a time, with nothing of the
// parent's environment. Whatever goes wrong in here costs this process only.
import { Fault, type FaultCode } from '../core/fault.ts';
import { systemClock } from '../core/time.ts';
import { runQuery } from './run-query.ts';
import type { QueryAnswer, QueryLimits, QueryRequest, QueryTable } from './types.ts';

/** Parent to child. */
export interface QueryOrder {
  readonly request: QueryRequest;
  readonly tables: readonly QueryTable[];
  readonly limits: QueryLimits;
}

/** Child to parent: `ready` once, then a reply an order; `rss` in bytes says what the work left behind. */
export type QueryReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly answer: QueryAnswer; readonly rss: number }
  | { readonly kind: 'fault'; readonly code: FaultCode; readonly detail: string; readonly extra: Fault['extra']; readonly rss: number };

const send = (reply: QueryReply): void => void process.send?.(reply);

async function answer(order: QueryOrder): Promise<void> {
  try {
    const answered = await runQuery(order.request, { tables: order.tables, limits: order.limits, clock: systemClock });
    send({ kind: 'answer', answer: answered, rss: process.memoryUsage.rss() });
  } catch (error) {
    const fault = error instanceof Fault ? error : new Fault('INTERNAL', 'The query failed.', { cause: error });
    if (fault.code === 'INTERNAL') console.error(error);
    send({ kind: 'fault', code: fault.code, detail: fault.detail, extra: fault.extra, rss: process.memoryUsage.rss() });
  }
}

process.on('message', (order: QueryOrder) => void answer(order));
// A thread of DuckDB may be busy for long, and an orderly exit would wait for it.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
send({ kind: 'ready' });
