// One side in a process of its own: `node side.ts service|copy <file> <small file like it>`. Prints one line of JSON.
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { startEmbedded } from '../../functions/embedded.ts';
import { must } from '../../lib/core/check.ts';
import { type Log, silentLog } from '../../lib/core/log.ts';
import { literal } from '../../lib/ingest/engine/sql.ts';
import { defaultReadLimits } from '../../lib/ingest/reading/types.ts';
import { freePort } from '../../scripts/cloud/port.ts';
import { type Lap, type Marks, startMarks } from './marks.ts';
import type { Told } from './send.ts';

export interface IngestSide {
  /** Of the service: `upload`, then each stage. */
  readonly laps: readonly Lap[];
  /** The most, until the table is there. */
  readonly residentMb: number;
  /** ms that a query of the service takes longer than one of DuckDB in process. */
  readonly queryMs?: number | undefined;
  readonly rows: number;
}

interface Files {
  readonly path: string;
  /** Ingested before. */
  readonly warmUp: string;
}

type Work = (files: Files, workDir: string) => Promise<IngestSide>;

const residentMb = (): number => process.resourceUsage().maxRSS / 1024;

const readers: Readonly<Record<string, string>> = {
  '.csv': 'read_csv',
  '.ndjson': 'read_json',
  '.parquet': 'read_parquet',
};

/** DuckDB by itself: its own types from its own sample, as many threads, no limit of memory. */
const copy: Work = async ({ path }, workDir) => {
  const reader = must(readers[extname(path)], 'a reader of the format');
  const marks = startMarks();
  const instance = await DuckDBInstance.create(':memory:', { threads: String(defaultReadLimits.engineThreads) });
  const connection = await instance.connect();
  const target = literal(join(workDir, 'table.parquet'));
  const copied = await connection.runAndReadAll(
    `COPY (FROM ${reader}(${literal(path)})) TO ${target} (FORMAT parquet)`,
  );
  marks.mark('copy');
  connection.closeSync();
  instance.closeSync();
  return { laps: marks.laps, residentMb: residentMb(), rows: Number(copied.getRows()[0]?.[0]) };
};

/** The embedded service, over HTTP, in parts as any large file is sent. */
const service: Work = async ({ path, warmUp }, workDir) => {
  let marks: Marks | undefined;
  let job: string | undefined;
  const log: Log = {
    ...silentLog,
    info: (message, fields) => {
      if (message === 'stage committed' && (job === undefined || fields?.['job'] === job))
        marks?.mark(String(fields?.['stage']));
    },
    warn: (message, fields) => console.error(message, fields),
    error: (message, fields) => console.error(message, fields),
  };
  const server = await startEmbedded({ directory: workDir, port: await freePort(), log });
  const key = await server.makeKey('bench', 'main', 'bench');
  const sender = fork(join(import.meta.dirname, 'send.ts'), [server.url, key, path, warmUp, workDir]);
  let there = { rows: Number.NaN, residentMb: Number.NaN };
  let queryMs: number | undefined;
  sender.on('message', (told: Told) => {
    if (told.kind === 'begun') marks = startMarks();
    else if (told.kind === 'sent') {
      marks?.mark('upload');
      ({ job } = told);
    } else if (told.kind === 'there') {
      marks?.mark('publish');
      there = { rows: told.rows, residentMb: residentMb() };
    } else ({ queryMs } = told);
  });
  const code = await new Promise((done) => sender.once('close', done));
  await server.stop();
  if (code !== 0) throw new Error(`The sender ended with ${String(code)}.`);
  return { laps: must(marks, 'a beginning').laps, ...there, queryMs };
};

const works: Readonly<Record<string, Work>> = { service, copy };
const [side = '', path = '', warmUp = ''] = process.argv.slice(2);
const workDir = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
try {
  console.log(JSON.stringify(await must(works[side], 'a side: service or copy')({ path, warmUp }, workDir)));
} finally {
  await rm(workDir, { recursive: true, force: true });
}
