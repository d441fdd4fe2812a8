// One child process that answers queries: started under a memory cap, asked one thing at a time, killed when it must go.
import { type ChildProcess, spawn } from 'node:child_process';
import type { QueryOrder, QueryReply } from './query-worker.ts';

export interface ChildOptions {
  /** Path of query-worker.ts or of its bundle. */
  readonly entry: string;
  /** Megabytes of private memory beyond what Node takes for itself, enforced by the system (RLIMIT_DATA) where it can. */
  readonly processMb: number;
  /** The whole environment of the child. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface QueryChild {
  /** Resolves true once it can take orders, false if it died before. */
  readonly ready: Promise<boolean>;
  readonly dead: boolean;
  /** Its reply, or `died` when it ends without one. */
  ask(order: QueryOrder): Promise<QueryReply | { readonly kind: 'died' }>;
  /** Ends it at once; resolves when it is gone. */
  kill(): Promise<void>;
}

/** What Node 24 maps for itself before any query, in megabytes: measured 626, most of it never touched. */
const nodeOwnMb = 650;

/**
 * The shell sets the cap and becomes the child, so that an allocation beyond it fails inside DuckDB as out of memory.
 * Where the whole machine runs out first, the child is what the kernel ends, not the service.
 */
const capped = 'ulimit -d "$1" 2>/dev/null; echo 1000 2>/dev/null >/proc/self/oom_score_adj; shift; exec "$@"';

export function startChild(options: ChildOptions): QueryChild {
  const kilobytes = Math.floor((nodeOwnMb + options.processMb) * 1000);
  const child = spawn('/bin/sh', ['-c', capped, 'sh', String(kilobytes), process.execPath, options.entry], {
    env: options.environment,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let dead = false;
  const gone = new Promise<void>((resolve) => {
    const end = (): void => {
      dead = true;
      resolve();
    };
    child.once('exit', end);
    child.once('error', end);
  });
  const nextReply = (): Promise<QueryReply | { readonly kind: 'died' }> => replyOf(child, gone);
  const ready = nextReply().then((reply) => reply.kind === 'ready');
  void ready.then(() => idle(child));
  return {
    ready,
    get dead() {
      return dead;
    },
    ask: async (order) => {
      busy(child);
      const reply = nextReply();
      if (child.connected) child.send(order, () => undefined);
      return reply.finally(() => idle(child));
    },
    kill: () => {
      busy(child);
      child.kill('SIGKILL');
      return gone;
    },
  };
}

function replyOf(child: ChildProcess, gone: Promise<void>): Promise<QueryReply | { readonly kind: 'died' }> {
  const heard = Promise.withResolvers<QueryReply>();
  const listen = (reply: unknown): void => heard.resolve(reply as QueryReply);
  child.once('message', listen);
  const died = gone.then(() => ({ kind: 'died' }) as const);
  return Promise.race([heard.promise, died]).finally(() => child.off('message', listen));
}

/** An idle child does not keep this process alive; one that works does. */
function idle(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

function busy(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}
