// The world of the embedded process: every port over one SQLite file, a folder of objects and queues in memory.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { DescriberConfig } from '../../lib/config/describer.ts';
import type { EmbedderConfig } from '../../lib/config/embedder.ts';
import { systemChance } from '../../lib/core/chance.ts';
import type { Log } from '../../lib/core/log.ts';
import { systemClock } from '../../lib/core/time.ts';
import type { IngestDeps } from '../../lib/ingest/pipeline.ts';
import type { Engine } from '../../lib/job/engine.ts';
import { createThreadedHeartbeats } from '../../lib/job/heartbeat/heartbeat-thread.ts';
import { type EngineSettings, engineDefaults } from '../../lib/job/settings.ts';
import { createInterpreter, type Interpreter } from '../../lib/pipeline/interpreter.ts';
import type { OwnKind } from '../../lib/pipeline/own-kinds.ts';
import { createQueryProcess } from '../../lib/query/query-process.ts';
import { createEmbeddedQueue, type EmbeddedQueue } from '../../lib/queue/embedded.ts';
import { createFolderObjects, type FolderObjects } from '../../lib/store/folder.ts';
import { createSqliteStore, type SqliteStore } from '../../lib/store/sqlite/store.ts';
import { embeddedQueryLimits, embeddedQueryProcess, endOfRun } from './embedded-limits.ts';
import { openDescriber } from './describer.ts';
import { openEmbedder } from './embedder.ts';
import { openSurveyThreads } from './embedded-threads.ts';
import { createKinds } from './kinds.ts';
import { openLongQueries } from './long-queries.ts';
import { openQueries } from './queries.ts';

const GIB = 2 ** 30;
/** Copies of Parquet parts for queries; the least recently used go first. */
const queryDisk = { parts: 10 * GIB, result: 2 * GIB } as const;

export interface EmbeddedWorld extends AsyncDisposable {
  readonly engine: Engine;
  readonly store: SqliteStore;
  readonly queue: EmbeddedQueue;
  readonly objects: FolderObjects;
  readonly interpreter: Interpreter;
  /** The ports of the routes that answer SQL. */
  readonly queries: ReturnType<typeof openQueries>;
  /** Where everything is kept. */
  readonly directory: string;
  /** Signs cursors and part URLs; made once per folder. */
  readonly secret: string;
  /** The most that a workspace may store. */
  readonly workspaceBytes: number | undefined;
}

export interface EmbeddedPlace {
  /** Everything is kept under it. */
  readonly directory: string;
  /** Where parts of an upload are sent. */
  readonly partsUrl: string;
  readonly log: Log;
  readonly settings?: Partial<EngineSettings> | undefined;
  readonly describer?: DescriberConfig | undefined;
  /** Bytes that a workspace may store; no limit where left out. */
  readonly workspaceBytes?: number | undefined;
  readonly embedder?: EmbedderConfig | undefined;
  /** What the user brings. */
  readonly kinds?: readonly OwnKind[] | undefined;
}

export function createEmbeddedWorld(place: EmbeddedPlace): EmbeddedWorld {
  const { directory, partsUrl, log, settings: own, kinds = [], workspaceBytes } = place;
  mkdirSync(directory, { recursive: true });
  const clock = systemClock;
  const secret = keptSecret(join(directory, 'secret'));
  const path = join(directory, 'millrace.sqlite');
  const store = createSqliteStore({ path, clock });
  const objects = createFolderObjects({ directory: join(directory, 'objects'), baseUrl: partsUrl, clock, secret });
  const queue = createEmbeddedQueue({ clock });
  const settings = { ...engineDefaults, ...own };
  const models = { describer: openDescriber(place.describer), embedder: openEmbedder(place.embedder) };
  const surveyThreads = openSurveyThreads();
  const parts = { ...place, ...models, store, objects, surveyThreads };
  const { registry, pipelines, long } = openKinds(parts, kinds, () => engine);
  const heartbeats = createThreadedHeartbeats({
    threadFile: new URL(`./embedded-heartbeat-thread${extname(import.meta.url)}`, import.meta.url),
    threadData: { path },
    clock,
    settings,
    log,
  });
  const interpreter = createInterpreter({ pipelines, engine: () => engine, concurrency: 4, limit: endOfRun });
  const engine: Engine = {
    store,
    ringer: queue,
    executions: interpreter,
    objects,
    registry,
    heartbeats,
    clock,
    chance: systemChance,
    settings,
    log,
  };
  const processes = createQueryProcess(embeddedQueryProcess);
  const queries = queriesIn(directory, { store, objects, ask: processes.ask, embedder: models.embedder, log });
  return {
    engine,
    store,
    queue,
    objects,
    interpreter,
    ...{ queries, directory, secret, workspaceBytes },
    [Symbol.asyncDispose]: async () => {
      for (const each of [heartbeats, processes, long, surveyThreads]) await each[Symbol.asyncDispose]();
      store.close();
    },
  };
}

/** The kinds, and what runs SQL inside their jobs. */
function openKinds(
  {
    store,
    objects,
    describer,
    embedder,
    workspaceBytes,
    surveyThreads,
  }: Pick<EmbeddedWorld, 'store' | 'objects'> &
    Pick<IngestDeps, 'describer' | 'embedder' | 'workspaceBytes' | 'surveyThreads'>,
  own: readonly OwnKind[],
  engine: () => Engine,
) {
  const deps = { catalog: store, documents: store, jobs: store, objects, clock: systemClock };
  const parts = { ...deps, describer, embedder, workspaceBytes, surveyThreads };
  const long = openLongQueries(deps, { ...embeddedQueryProcess, processes: 1 });
  return {
    ...createKinds({ ...parts, longQueries: long.longQueries }, own, engine),
    long,
  };
}

function queriesIn(
  directory: string,
  {
    store,
    ...needs
  }: Pick<EmbeddedWorld, 'store'> & Pick<Parameters<typeof openQueries>[0], 'objects' | 'ask' | 'embedder' | 'log'>,
) {
  const limits = embeddedQueryLimits(join(directory, 'spill'));
  mkdirSync(limits.tempDirectory, { recursive: true });
  const common = { catalog: store, documents: store, clock: systemClock, chance: systemChance };
  return openQueries({ ...needs, ...common, directory, disk: queryDisk, limits });
}

function keptSecret(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    writeFileSync(path, randomBytes(32).toString('hex'), { mode: 0o600 });
    return readFileSync(path, 'utf8');
  }
}
