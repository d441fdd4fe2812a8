// The embedded process: everything that the deployed functions do, in one Node process over SQLite and a folder. `npm run dev` starts it.
import { serve } from '@hono/node-server';
import type { DescriberConfig } from '../lib/config/describer.ts';
import type { EmbedderConfig } from '../lib/config/embedder.ts';
import { systemChance } from '../lib/core/chance.ts';
import type { TenantId, WorkspaceId } from '../lib/core/ids.ts';
import type { Log } from '../lib/core/log.ts';
import { seconds, systemClock } from '../lib/core/time.ts';
import type { ApiScope } from '../lib/http/keys.ts';
import { makeKey } from '../lib/http/make-key.ts';
import { ShuttingDown } from '../lib/job/run/hurry.ts';
import type { EngineSettings } from '../lib/job/settings.ts';
import type { OwnKind } from '../lib/pipeline/own-kinds.ts';
import { createPlainLog } from '../lib/telemetry/plain-log.ts';
import { containHandlers } from './support/escapes.ts';
import { drain } from './support/drain.ts';
import { createEmbeddedApp, PARTS_PATH } from './support/embedded-app.ts';
import { runLoops, startWorker } from './support/embedded-loops.ts';
import { createEmbeddedWorld } from './support/embedded-world.ts';

export interface EmbeddedOptions {
  /** Everything is kept under it, and is there again after a restart. */
  readonly directory: string;
  readonly port: number;
  /** A line an event on standard output where left out. */
  readonly log?: Log;
  readonly settings?: Partial<EngineSettings>;
  /** The model of Amazon Bedrock that describes tables; rules alone where left out. */
  readonly describer?: DescriberConfig | undefined;
  /** Bytes that a workspace may store; no limit where left out. */
  readonly workspaceBytes?: number | undefined;
  /** The embedding model of Amazon Bedrock that search is fused with; full text alone where left out. */
  readonly embedder?: EmbedderConfig | undefined;
  /** Jobs and pipelines of your own. */
  readonly kinds?: readonly OwnKind[];
}

export interface Embedded {
  readonly url: string;
  /** With the scopes of every key where none are named. */
  makeKey(tenant: string, workspace: string, name: string, scopes?: readonly ApiScope[]): Promise<string>;
  /** No new work, 30 s of grace, an abort, 5 s, the end. */
  stop(): Promise<'drained' | 'aborted' | 'left'>;
}

/** Resolves once it answers HTTP. Rejects when the port is taken. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { port, log = createPlainLog(systemClock, console.log) } = options;
  const url = `http://127.0.0.1:${port}`;
  const world = createEmbeddedWorld({ ...options, log, partsUrl: `${url}${PARTS_PATH}` });
  const server = await listen(createEmbeddedApp(world).fetch, port).catch(async (thrown: unknown) => {
    await world[Symbol.asyncDispose]();
    throw thrown;
  });
  const [aborting, ending] = [new AbortController(), new AbortController()];
  const contained = containHandlers(process, log);
  const worker = startWorker(world, aborting.signal);
  const loops = runLoops(world, ending.signal);
  return {
    url,
    makeKey: (tenant, workspace, name, scopes) =>
      makeKey(
        { keys: world.store, clock: systemClock, chance: systemChance },
        { tenant: tenant as TenantId, workspace: workspace as WorkspaceId, name, ...(scopes && { scopes }) },
      ),
    stop: async () => {
      const closed = new Promise((done) => server.close(done));
      const end = await drain({
        clock: systemClock,
        grace: seconds(30),
        afterAbort: seconds(5),
        finish: () => Promise.all([worker.stop().then(() => world.interpreter.idle()), closed]),
        abort: () => {
          aborting.abort(new ShuttingDown('The process is stopping.'));
          void world.interpreter.stop();
          if ('closeAllConnections' in server) server.closeAllConnections();
        },
      });
      ending.abort();
      await loops;
      await world[Symbol.asyncDispose]();
      contained[Symbol.dispose]();
      return end;
    },
  };
}

function listen(fetch: Parameters<typeof serve>[0]['fetch'], port: number): Promise<ReturnType<typeof serve>> {
  return new Promise((done, refuse) => {
    const server = serve({ fetch, port, hostname: '127.0.0.1' }, () => done(server));
    server.once('error', refuse);
    // Node answers an expectation that it does not know by itself, without a problem; a server may as well pass it over.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  });
}
