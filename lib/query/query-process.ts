// Runs queries in child processes, since two things inside DuckDB escape its limits: single calls that hear no interrupt
// (planning, a function over huge texts) and memory outside its accounts. A child is capped by the system, killed when
// late, and replaced; the service goes on. Children are started ahead, so a warm query pays no start.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../core/remove-folder.ts';
import { Fault } from '../core/fault.ts';
import { type DurationMs, millis, seconds } from '../core/time.ts';
import { eachOf } from '../core/each-of.ts';
import { type ChildOptions, type QueryChild, startChild } from './query-child.ts';
import type { QueryReply } from './query-worker.ts';
import type { AskQuery, QueryAnswers, QueryRequest, QueryWant, QueryWorld } from './types.ts';

export interface QueryProcessOptions extends ChildOptions {
  /** Queries at once, a process each. */
  readonly processes: number;
}

export interface QueryProcess extends AsyncDisposable {
  readonly ask: AskQuery;
}

/** What a child has to end by itself after its limit, before it is killed. */
const grace: DurationMs = seconds(1);
/** The share of its cap that a child may still hold after a query; one that holds more is replaced. */
const keptShare = 0.5;

/** Starts the processes. `ask` answers as run-query.ts and its like do, with every limit kept from outside as well. */
export function createQueryProcess(options: QueryProcessOptions): QueryProcess {
  const turns = eachOf(options.processes);
  const idle = Array.from({ length: options.processes }, () => startChild(options));
  const all = new Set(idle);
  let closed = false;

  const replace = async (child: QueryChild): Promise<void> => {
    all.delete(child);
    if (!closed) {
      const next = startChild(options);
      all.add(next);
      idle.push(next);
    }
    await child.kill();
  };

  const ask: AskQuery = (want, request, world) =>
    turns(async () => {
      if (closed) throw new Fault('UNAVAILABLE', 'The query service is closing.');
      // Made here, since a child that is killed cannot remove it.
      const tempDirectory = await mkdtemp(join(world.limits.tempDirectory, 'queries-'));
      try {
        const child = await readyChild(idle, replace);
        const outcome = await askWithin(child, want, request, { ...world, limits: { ...world.limits, tempDirectory } });
        const healthy = 'heldMb' in outcome && outcome.heldMb < options.processMb * keptShare && !child.dead;
        if (healthy) idle.push(child);
        else await replace(child);
        // A child answers what was asked.
        return answerOf(outcome, world.limits.timeoutMs) as QueryAnswers[typeof want];
      } finally {
        await removeFolder(tempDirectory);
      }
    });

  return {
    ask,
    [Symbol.asyncDispose]: async () => {
      closed = true;
      await Promise.all([...all].map((child) => child.kill()));
    },
  };
}

/** A child that may have died while idle is replaced once; a second death means that none can start. */
async function readyChild(idle: QueryChild[], replace: (child: QueryChild) => Promise<void>): Promise<QueryChild> {
  for (let tries = 0; tries < 2; tries += 1) {
    const child = idle.pop();
    if (child === undefined) break;
    if ((await child.ready) && !child.dead) return child;
    await replace(child);
  }
  throw new Fault('UNAVAILABLE', 'The query process does not start.');
}

type Outcome = QueryReply | { readonly kind: 'died' | 'late' | 'cancelled' };

async function askWithin(
  child: QueryChild,
  want: QueryWant,
  request: QueryRequest,
  world: QueryWorld,
): Promise<Outcome> {
  const stop = new AbortController();
  const cancelled = Promise.withResolvers<Outcome>();
  const cancel = (): void => cancelled.resolve({ kind: 'cancelled' });
  if (world.signal?.aborted) cancel();
  world.signal?.addEventListener('abort', cancel, { once: true });
  const late = world.clock
    .sleep(millis(world.limits.timeoutMs + grace), stop.signal)
    .then(() => ({ kind: 'late' }) as const);
  try {
    const reply = child.ask({ want, request, tables: world.tables, limits: world.limits });
    return await Promise.race([cancelled.promise, reply, late]);
  } finally {
    stop.abort();
    world.signal?.removeEventListener('abort', cancel);
  }
}

function answerOf(outcome: Outcome, timeout: DurationMs): QueryAnswers[QueryWant] {
  if (outcome.kind === 'answer') return outcome.answer;
  if (outcome.kind === 'fault') throw new Fault(outcome.code, outcome.detail, outcome);
  if (outcome.kind === 'late') throw new Fault('QUERY_TIMEOUT', `The query ran longer than ${timeout} ms.`);
  if (outcome.kind === 'cancelled') throw new Fault('CANCELLED', 'The query was cancelled.');
  throw new Fault('QUERY_MEMORY', 'The query used up the memory of its process.');
}
