// The app in-process: store and objects in memory, a queue that remembers what was rung, and a clock that only sleeps move.
import * as z from 'zod';
import { seededChance } from '../../../lib/core/chance.ts';
import type { TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import type { Log } from '../../../lib/core/log.ts';
import type { PresignedPart } from '../../../lib/core/objects.ts';
import { type Clock, type DurationMs, type EpochMs, epochMs, later } from '../../../lib/core/time.ts';
import { Fault } from '../../../lib/core/fault.ts';
import { createApp } from '../../../lib/http/app.ts';
import type { HttpDeps } from '../../../lib/http/deps.ts';
import type { ApiScope } from '../../../lib/http/keys.ts';
import { relayChanges } from '../../../lib/events/relay.ts';
import { httpLimits } from '../../../lib/http/limits.ts';
import { makeKey } from '../../../lib/http/make-key.ts';
import { createLocalPlaces } from '../../../lib/http/places.ts';
import { createWorker } from '../../../lib/job/run/worker.ts';
import type { Heartbeats } from '../../../lib/job/heartbeat/heartbeat.ts';
import type { Doorbell } from '../../../lib/job/ports.ts';
import { TerminalError } from '../../../lib/job/run/outcome.ts';
import { createRegistry, defineJob } from '../../../lib/job/registry.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { ingestInput } from '../../../lib/ingest/input.ts';
import { createSqliteStore } from '../../../lib/store/sqlite/store.ts';
import { createMemoryObjects, type MemoryObjects } from '../../support/memory-objects.ts';

interface TestClock extends Clock {
  /** Called before each sleep ends. */
  onSleep: (by: DurationMs) => Promise<void> | void;
}

function testClock(start: EpochMs): TestClock {
  let now = start;
  const clock: TestClock = {
    onSleep: () => undefined,
    now: () => now,
    monotonic: () => now,
    sleep: async (by) => {
      now = later(now, by);
      await clock.onSleep(by);
    },
  };
  return clock;
}

/** Objects in memory whose uploads have parts; a part's URL is of no use, since nothing listens, and only parts of one ETag can be joined. */
function objectsWithParts(clock: Clock): MemoryObjects {
  const objects = createMemoryObjects(clock);
  return {
    ...objects,
    startMultipart: async () => 'multipart',
    presignParts: async (_key, _id, count) =>
      Array.from(
        { length: count },
        (_, at): PresignedPart => ({ number: at + 1, url: `https://parts.invalid/${at + 1}` }),
      ),
    completeMultipart: async (key, _id, parts) =>
      parts.some(({ etag }) => etag !== '"good"')
        ? 'incomplete'
        : objects.putOnce(key, Buffer.alloc(parts.length * 10)),
  };
}

export const harnessKinds = [
  defineJob({ kind: 'echo', input: z.strictObject({ say: z.string() }), run: async (_ctx, input) => input }),
  defineJob({
    kind: 'fail',
    input: z.unknown(),
    run: async () => {
      throw new TerminalError('it cannot be');
    },
  }),
  defineJob({
    kind: 'ingest',
    input: ingestInput,
    run: async () => null,
  }),
  ...['system.tidy', 'system.stop-jobs', 'system.purge-workspace', 'system.measure-workspace'].map((kind) =>
    defineJob({ kind, internal: true, input: z.unknown(), run: async () => null }),
  ),
  defineJob({ kind: 'sweep', internal: true, input: z.unknown(), run: async () => null }),
];

export interface Logged {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An app of its own for each test, with keys of two tenants and one key that may only read jobs. */
export async function startApp(overrides: Partial<HttpDeps> = {}) {
  const clock = testClock(epochMs(Date.UTC(2026, 0, 1)));
  const chance = seededChance(1);
  const store = createSqliteStore({ path: ':memory:', clock });
  const objects = objectsWithParts(clock);
  const rung: Doorbell[] = [];
  const logged: Logged[] = [];
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error: (message, fields = {}) => logged.push({ message, fields }),
  };
  const deps: HttpDeps = {
    store,
    catalog: store,
    documents: store,
    keys: store,
    objects,
    ringer: { ring: async (bell) => void rung.push(bell), isIdle: async () => true },
    registry: createRegistry(harnessKinds),
    ...{ clock, chance, log, settings: engineDefaults, limits: httpLimits },
    query: async () => {
      throw new Fault('SQL_INVALID', 'This app has no tables.');
    },
    watch: { places: createLocalPlaces(2) },
    cursorSecret: async () => 'a secret of this test',
    openApiDocument: async () => '{"openapi":"3.1.0"}',
    ...overrides,
  };
  const heartbeats: Heartbeats = {
    start: () => ({
      signal: new AbortController().signal,
      lost: false,
      cancelReason: undefined,
      progress: () => undefined,
      nextPart: () => undefined,
      stop: async () => undefined,
    }),
  };
  const executions = { start: async () => undefined, probe: async () => 'unknown' as const };
  /** Does what was rung, then relays what changed. */
  const work = async () => {
    const worker = createWorker({ ...deps, heartbeats, executions });
    for (const bell of rung.splice(0)) await worker.hear(bell);
    await relayChanges(deps, await store.changes(0, 1000));
  };
  const keyOf = (tenant: string, scopes?: readonly ApiScope[]) =>
    makeKey(deps, {
      tenant: tenant as TenantId,
      workspace: 'main' as WorkspaceId,
      name: 'test',
      ...(scopes && { scopes }),
    });
  const keys = { own: await keyOf('t1'), other: await keyOf('t2'), reader: await keyOf('t1', ['jobs:read']) };
  const app = createApp(deps);
  const send = async (method: string, path: string, init: Sent = {}): Promise<Answered> => {
    const { key = keys.own, json, ...rest } = init;
    const headers = new Headers(rest.headers);
    if (key !== '') headers.set('authorization', `Bearer ${key}`);
    if (json !== undefined) headers.set('content-type', 'application/json');
    const body = json === undefined ? rest.body : JSON.stringify(json);
    return answered(await app.request(path, { method, headers, ...(body !== undefined && { body }) }));
  };
  return {
    app,
    clock,
    deps,
    store,
    objects: objects.bodies,
    rung,
    work,
    logged,
    keys,
    send,
    [Symbol.dispose]: () => store.close(),
  };
}

/** An app with one dataset in it. */
export async function withDataset(overrides: Parameters<typeof startApp>[0] = {}) {
  const app = await startApp(overrides);
  const { id } = (await app.send('POST', '/v1/datasets', { json: { name: 'd' } })).body;
  return { ...app, dataset: id as string, [Symbol.dispose]: () => app.store.close() };
}

interface Sent {
  readonly key?: string;
  readonly json?: unknown;
  readonly body?: NonNullable<RequestInit['body']>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** JSON as it comes: tests look into it as they please. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body, undefined when it is not JSON. */
  readonly body: Json;
}

async function answered(response: Response): Promise<Answered> {
  const text = await response.text();
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text || 'null') : undefined,
  };
}

/** Status and code of a problem in one glance. */
export const outcome = ({ status, body }: Answered): string =>
  status < 400 ? String(status) : `${status} ${body?.code}`;
