// The embedded service in this process, without a port: what `npm run dev` runs, called as functions.
import { systemChance } from '../../lib/core/chance.ts';
import type { TenantId, WorkspaceId } from '../../lib/core/ids.ts';
import type { Log } from '../../lib/core/log.ts';
import { systemClock } from '../../lib/core/time.ts';
import { makeKey } from '../../lib/http/make-key.ts';
import { createEmbeddedApp } from '../../functions/support/embedded-app.ts';
import { runLoops, startWorker } from '../../functions/support/embedded-loops.ts';
import { createEmbeddedWorld } from '../../functions/support/embedded-world.ts';

export interface TableSaid {
  readonly tableName: string;
  readonly rowCount: number;
}

/** Of the bodies that come back, what the laws look at. */
export interface Body {
  readonly id?: string;
  readonly code?: unknown;
  readonly status?: string;
  readonly attempts?: number;
  readonly crashes?: number;
  readonly error?: { readonly code?: unknown };
  readonly result?: { readonly tables: readonly TableSaid[] };
  readonly data?: readonly { readonly name: string }[];
  readonly rows?: readonly (readonly unknown[])[];
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  /** Empty where the answer is no JSON. */
  readonly body: Body;
}

export interface FuzzWorld extends AsyncDisposable {
  /** By the key of one tenant for files, of another for requests of any kind. */
  send(
    of: 'files' | 'requests',
    method: string,
    path: string,
    sent?: { json?: unknown; body?: Uint8Array; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Lines that the service has logged as errors since this was last asked. */
  errors(): string[];
}

export async function startFuzzWorld(directory: string): Promise<FuzzWorld> {
  const logged: string[] = [];
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error: (message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`),
  };
  const world = createEmbeddedWorld({ directory, partsUrl: 'http://parts.invalid/parts', log });
  const app = createEmbeddedApp(world);
  const ending = new AbortController();
  const worker = startWorker(world, ending.signal);
  const loops = runLoops(world, ending.signal);
  const keyOf = (tenant: string) =>
    makeKey(
      { keys: world.store, clock: systemClock, chance: systemChance },
      { tenant: tenant as TenantId, workspace: 'main' as WorkspaceId, name: 'fuzz' },
    );
  const keys = { files: await keyOf('files'), requests: await keyOf('requests') };
  return {
    send: async (of, method, path, { json, body, headers } = {}) => {
      const request = new Request(`http://fuzz.invalid${path}`, {
        method,
        headers: {
          authorization: `Bearer ${keys[of]}`,
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        ...(body !== undefined && { body: new Uint8Array(body) }),
      });
      return answerOf(await app.fetch(request));
    },
    errors: () => logged.splice(0),
    [Symbol.asyncDispose]: async () => {
      await worker.stop();
      await world.interpreter.idle();
      ending.abort();
      await loops;
      await world[Symbol.asyncDispose]();
    },
  };
}

async function answerOf(response: Response): Promise<Answer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type') ?? '';
  const isJson = /[/+]json\b/.test(type) && bytes.length > 0;
  return { status: response.status, type, body: isJson ? (JSON.parse(bytes.toString('utf8')) as Body) : {} };
}
