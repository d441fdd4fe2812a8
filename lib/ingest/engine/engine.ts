// DuckDB for one call: an instance of its own, bounded memory, threads and spill, always closed.
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance, type DuckDBType, type DuckDBValue, type Json } from '@duckdb/node-api';
import { removeFolder } from '../../core/remove-folder.ts';
import { toJson } from '../../query/values.ts';
import '../../query/whole-texts.ts';
import { must } from '../../core/check.ts';
import type { ReadLimits } from '../reading/types.ts';
import { engineFault } from './engine-fault.ts';
import { type NextRows, registerFeed } from './feed.ts';
import { registerTexts } from './texts.ts';

export type Row = Readonly<Record<string, Json>>;

export interface Engine {
  /** All rows; integers past 32 bits and decimals arrive as text. */
  rows(sql: string): Promise<Row[]>;
  /** The only row. */
  row(sql: string): Promise<Row>;
  run(sql: string): Promise<void>;
  /** All rows as texts, values written as queries answer them: digits, ISO 8601, JSON for nested ones. */
  texts(sql: string): Promise<(string | null)[][]>;
  /** All rows, each value as queries answer it. */
  values(sql: string): Promise<unknown[][]>;
  /** Makes `FROM name()` give the rows of `next`, once, as columns c0, c1, … of these types, in their order. What `next` throws ends the statement. */
  feed(name: string, types: readonly DuckDBType[], next: NextRows): void;
  /** Makes `name(value)` the text that `of` gives of a value of this type; NULL is NULL. */
  defineText(name: string, type: DuckDBType, of: (value: DuckDBValue) => string): void;
  /** The types of the columns that a statement gives. */
  types(sql: string): Promise<readonly DuckDBType[]>;
  /** A folder that goes with the engine. */
  makeFolder(): Promise<string>;
}

export interface EngineSettings {
  readonly workDir: string;
  readonly limits: ReadLimits;
  /** Interrupts what is running. */
  readonly signal?: AbortSignal | undefined;
}

const spillOf = ({ workDir }: Pick<EngineSettings, 'workDir'>): string => join(workDir, 'spill');

async function makeFolder(settings: EngineSettings): Promise<string> {
  await mkdir(spillOf(settings), { recursive: true });
  return mkdtemp(join(spillOf(settings), 'own-'));
}

const configuration = ({ workDir, limits }: EngineSettings, threads: number): Record<string, string> => ({
  memory_limit: `${limits.engineMemoryBytes}B`,
  threads: String(threads),
  temp_directory: spillOf({ workDir }),
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
});

const asText = (value: unknown): string | null => {
  if (value === null || typeof value === 'string') return value;
  return JSON.stringify(value);
};

/** Faults: INGEST_MEMORY, INGEST_DISK, DISK_FULL. */
async function explained<T>(limits: ReadLimits, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw engineFault(thrown, limits) ?? thrown;
  }
}

async function valueRows(connection: DuckDBConnection, sql: string): Promise<unknown[][]> {
  const reader = await connection.runAndReadAll(sql);
  const types = reader.columnTypes();
  return reader.getRows().map((row) => row.map((value, index) => toJson(value, types[index])));
}

function engineOver(connection: DuckDBConnection, settings: EngineSettings): Engine {
  const { limits } = settings;
  const rows = (sql: string): Promise<Row[]> =>
    explained(limits, async () => (await connection.runAndReadAll(sql)).getRowObjectsJson());
  const values = (sql: string): Promise<unknown[][]> => explained(limits, () => valueRows(connection, sql));
  return {
    rows,
    row: async (sql) => {
      const [only] = await rows(sql);
      if (only === undefined) throw new TypeError('the statement gave no row');
      return only;
    },
    run: async (sql) => {
      await explained(limits, () => connection.run(sql));
    },
    texts: async (sql) => (await values(sql)).map((row) => row.map(asText)),
    values,
    feed: (name, types, next) => registerFeed(connection, name, types, next),
    defineText: (name, type, of) => registerTexts(connection, name, type, of),
    types: (sql) => explained(limits, async () => (await connection.run(`FROM (${sql}) LIMIT 0`)).columnTypes()),
    makeFolder: () => makeFolder(settings),
  };
}

/**
 * Opens an engine for `use` and closes it whatever happens; an abort interrupts the running statement. Faults: INGEST_MEMORY, INGEST_DISK,
 * DISK_FULL, whatever else `use` makes of what its statements throw.
 */
export const withEngine = <T>(settings: EngineSettings, use: (engine: Engine) => Promise<T>): Promise<T> =>
  withInstance(settings, { threads: settings.limits.engineThreads, engines: 1 }, ([engine]) => use(engine));

/**
 * The same, with as many engines as a statement else has threads, over the same tables and in the same memory: for several statements side
 * by side. Each runs in one thread, and none waits for another, which DuckDB does without rest.
 */
export const withEngines = <T>(settings: EngineSettings, use: (engines: Engines) => Promise<T>): Promise<T> =>
  withInstance(settings, { threads: 1, engines: settings.limits.engineThreads }, use);

export type Engines = readonly [Engine, ...Engine[]];

interface Shape {
  readonly threads: number;
  readonly engines: number;
}

async function withInstance<T>(
  settings: EngineSettings,
  { threads, engines }: Shape,
  use: (engines: Engines) => Promise<T>,
): Promise<T> {
  settings.signal?.throwIfAborted();
  const instance = await DuckDBInstance.create(':memory:', configuration(settings, threads));
  const first = await instance.connect();
  const connections: [DuckDBConnection, ...DuckDBConnection[]] = [first];
  while (connections.length < engines) connections.push(await instance.connect());
  const interrupt = (): void => connections.forEach((connection) => connection.interrupt());
  settings.signal?.addEventListener('abort', interrupt, { once: true });
  try {
    // As an option of a new instance, DuckDB shows the size and does not keep to it.
    await first.run(`SET max_temp_directory_size = '${settings.limits.engineSpillBytes}B'`);
    for (const connection of connections) await connection.run("SET TimeZone = 'UTC'");
    const [one, ...others] = connections.map((connection) => engineOver(connection, settings));
    return await use([must(one, 'an engine'), ...others]);
  } catch (thrown) {
    settings.signal?.throwIfAborted();
    throw thrown;
  } finally {
    settings.signal?.removeEventListener('abort', interrupt);
    for (const connection of connections) connection.closeSync();
    instance.closeSync();
    await removeFolder(spillOf(settings));
  }
}
