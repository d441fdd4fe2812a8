// The HTTP app over a world in one process whose ingest and queries are the real ones: what is uploaded is read, published and asked about.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { embeddedQueryLimits } from '../../functions/support/embedded-limits.ts';
import { openQueries } from '../../functions/support/queries.ts';
import { createEffects } from '../../lib/events/effects.ts';
import { relayChanges } from '../../lib/events/relay.ts';
import { createApp } from '../../lib/http/app.ts';
import type { HttpDeps } from '../../lib/http/deps.ts';
import { httpLimits } from '../../lib/http/limits.ts';
import { scopes } from '../../lib/http/keys.ts';
import { makeKey } from '../../lib/http/make-key.ts';
import { createWorkspaceJobs } from '../../lib/ingest/deletion/workspace/kinds.ts';
import { createInboxDrop } from '../../lib/ingest/inbox/drop-job.ts';
import { createIngestJobs, createIngestPipelines } from '../../lib/ingest/kinds.ts';
import { createLongQueries } from '../../lib/ingest/queries/long-queries.ts';
import type { IngestDeps } from '../../lib/ingest/pipeline.ts';
import { createWorker } from '../../lib/job/run/worker.ts';
import { askHere } from '../../lib/query/ask.ts';
import { createPipelineWorld, scope } from './pipeline-world.ts';

/** JSON as it comes: tests look into it as they please. */
type Json = ReturnType<typeof JSON.parse>;

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The parsed body; undefined where it is no JSON. */
  readonly body: Json;
}

interface Sent {
  readonly json?: unknown;
  readonly body?: NonNullable<RequestInit['body']>;
  readonly headers?: Readonly<Record<string, string>>;
}

type Parts = Pick<IngestDeps, 'catalog' | 'documents' | 'objects'>;

/** `given` goes before what the ingest is composed of, e.g. smaller limits. */
export async function startIngestApp(given: (parts: Parts) => Partial<IngestDeps> = () => ({})) {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-app-'));
  let workspaceBytes: number | undefined;
  let embedder: IngestDeps['embedder'];
  const world = createPipelineWorld(({ store, objects, clock }) => {
    const parts = { catalog: store, documents: store, jobs: store, objects };
    const { tempDirectory: _, ...limits } = embeddedQueryLimits(directory);
    const longQueries = createLongQueries({
      ...{ catalog: store, documents: store, objects, clock, ask: askHere },
      limits: { ...limits, partBytes: 2 ** 30, fileBytes: 2 ** 28 },
    });
    const composed: IngestDeps = { ...parts, longQueries, ...given(parts) };
    ({ embedder, workspaceBytes } = composed);
    const drops = createInboxDrop({ ...composed, engine: () => world.engine });
    const workspaces = createWorkspaceJobs({ ...composed, engine: () => world.engine });
    return [...createIngestPipelines(composed), ...createIngestJobs(composed), ...workspaces, drops];
  });
  const { engine, store, objects } = world;
  const deps: HttpDeps = {
    ...engine,
    catalog: store,
    documents: store,
    keys: store,
    ...openQueries({
      catalog: store,
      documents: store,
      objects,
      ask: askHere,
      directory,
      disk: { parts: 2 ** 30, result: 2 ** 28 },
      limits: embeddedQueryLimits(directory),
      clock: engine.clock,
      chance: engine.chance,
      embedder,
    }),
    cursorSecret: async () => 'a secret of this test',
    limits: { ...httpLimits, workspaceBytes },
    openApiDocument: async () => '{}',
  };
  const app = createApp(deps);
  const key = await makeKey(deps, { ...scope, name: 'test', scopes });
  const send = async (method: string, path: string, { json, body, headers = {} }: Sent = {}): Promise<Answered> => {
    const type = json === undefined ? {} : { 'content-type': 'application/json' };
    const sent = json === undefined ? body : JSON.stringify(json);
    const init = { method, headers: { authorization: `Bearer ${key}`, ...type, ...headers } };
    return answered(await app.request(path, { ...init, ...(sent !== undefined && { body: sent }) }));
  };
  const effects = createEffects(engine);
  let relayed = 0;
  const relay = async (): Promise<void> => {
    const changes = await store.changes(relayed, 1000);
    relayed = changes.at(-1)?.seq ?? relayed;
    await relayChanges({ ...deps, effects }, changes);
  };
  /** Those of jobs whose time has not come: they are heard by a later `settle`. */
  const early: typeof world.bells = [];
  /** Hears every doorbell, runs what that starts, and relays what changed, until nothing rings. */
  const settle = async () => {
    world.bells.push(...early.splice(0));
    do {
      for (const bell of world.bells.splice(0)) {
        if (((await store.get(bell.ref))?.notBefore ?? 0) > engine.clock.now()) {
          early.push(bell);
          continue;
        }
        const heard = await createWorker(engine).hear(bell);
        if (heard.kind === 'started') await world.execute({ ref: heard.claim.ref, epoch: heard.claim.epoch });
      }
      await relay();
    } while (world.bells.length > 0);
  };
  const sendFile = (
    dataset: string,
    name: string,
    body: string | Uint8Array<ArrayBuffer>,
    query: Readonly<Record<string, string>> = {},
  ): Promise<Answered> => {
    const asked = new URLSearchParams({ name, ...query });
    const headers = { 'content-type': 'application/octet-stream' };
    return send('POST', `/v1/datasets/${dataset}/files?${asked.toString()}`, { body, headers });
  };
  const job = async (path: string): Promise<Json> => (await send('GET', path)).body;
  return {
    ...world,
    deps,
    send,
    /** Uploads a file and answers what the upload came to; its ingest has not run yet. */
    sendFile,
    /** The machine's settle of a run. */
    settleRun: world.settle,
    relay,
    settle,
    /** Creates a dataset and answers its id. */
    dataset: async (name = 'd', more: object = {}): Promise<string> => {
      const made = await send('POST', '/v1/datasets', { json: { name, ...more } });
      expect(made.status).toBe(201);
      return made.body.id;
    },
    /** Uploads a file, runs its ingest to the end, and answers the job as a caller sees it. */
    upload: async (...file: Parameters<typeof sendFile>): Promise<Json> => {
      const sent = await sendFile(...file);
      if (sent.status !== 202) return sent.body;
      await settle();
      return job(`/v1/jobs/${sent.body.id}`);
    },
    /** The published tables of a dataset by name, each as GET answers it. */
    tables: async (dataset: string): Promise<Record<string, Json>> => {
      const { body } = await send('GET', `/v1/datasets/${dataset}/tables`);
      const found: Record<string, Json> = {};
      for (const { id, name } of body.data)
        found[name] = (await send('GET', `/v1/datasets/${dataset}/tables/${id}`)).body;
      return found;
    },
    query: (dataset: string, sql: string, more: object = {}) =>
      send('POST', `/v1/datasets/${dataset}/query`, { json: { sql, ...more } }),
    [Symbol.asyncDispose]: async () => {
      world[Symbol.dispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function answered(response: Response): Promise<Answered> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    body: isJson ? JSON.parse(Buffer.from(bytes).toString('utf8') || 'null') : undefined,
  };
}
