// One side in a process of its own: `node side.ts embedded|bare <file>`. Prints one line of JSON.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { startEmbedded } from '../../functions/embedded.ts';
import { must } from '../../lib/core/check.ts';
import { silentLog } from '../../lib/core/log.ts';
import { systemClock } from '../../lib/core/time.ts';
import { literal } from '../../lib/ingest/engine/sql.ts';
import { defaultReadLimits } from '../../lib/ingest/reading/types.ts';
import { freePort } from '../../scripts/cloud/port.ts';

export interface IngestSide {
  /** From the first byte sent, or from the start of the copy, until the table is there. */
  readonly ms: number;
  /** Of all threads. */
  readonly cpuMs: number;
  readonly residentMb: number;
  readonly rows: number;
}

/** Does the work once it is told to begin; answers the rows. */
type Work = (path: string, workDir: string, begin: () => void) => Promise<number>;

const readers: Readonly<Record<string, string>> = {
  '.csv': 'read_csv',
  '.ndjson': 'read_json',
  '.parquet': 'read_parquet',
};

/** DuckDB by itself: its own types from its own sample, as many threads, no limit of memory. */
const bare: Work = async (path, workDir, begin) => {
  const reader = must(readers[extname(path)], 'a reader of the format');
  begin();
  const instance = await DuckDBInstance.create(':memory:', { threads: String(defaultReadLimits.engineThreads) });
  const connection = await instance.connect();
  const target = literal(join(workDir, 'table.parquet'));
  const copied = await connection.runAndReadAll(
    `COPY (FROM ${reader}(${literal(path)})) TO ${target} (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  return Number(copied.getRows()[0]?.[0]);
};

interface Said {
  readonly id: string;
  readonly status: string;
  readonly completeRoute: string;
  readonly partSize: number;
  readonly parts: readonly { readonly number: number; readonly url: string }[];
  readonly error?: { readonly code: string };
  readonly result: { readonly tables: readonly { readonly rowCount: number }[] };
}

/** The embedded service, over HTTP, in parts as any large file is sent. */
const embedded: Work = async (path, workDir, begin) => {
  const server = await startEmbedded({ directory: workDir, port: await freePort(), log: silentLog });
  const key = await server.makeKey('bench', 'main', 'bench');
  const call = async (method: string, route: string, json?: unknown): Promise<Said> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}${route}`, {
      ...{ method, headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    return (await answer.json()) as Said;
  };
  const dataset = await call('POST', '/v1/datasets', { name: 'bench' });
  const bytes = await readFile(path);
  begin();
  const upload = await call('POST', `/v1/datasets/${dataset.id}/uploads`, { name: basename(path), size: bytes.length });
  const parts = [];
  for (const { number, url } of upload.parts) {
    const body = new Uint8Array(bytes.subarray((number - 1) * upload.partSize, number * upload.partSize));
    parts.push({ number, etag: (await fetch(url, { method: 'PUT', body })).headers.get('etag') });
  }
  let job = await call('POST', upload.completeRoute, { parts });
  while (!['succeeded', 'failed', 'dead'].includes(job.status))
    job = await call('GET', `/v1/jobs/${job.id}/watch?wait=20`);
  if (job.status !== 'succeeded') throw new Error(`The job ended as ${job.status} with ${job.error?.code ?? ''}.`);
  await server.stop();
  return must(job.result.tables[0], 'a table').rowCount;
};

const works: Readonly<Record<string, Work>> = { embedded, bare };
const [side = '', path = ''] = process.argv.slice(2);
const workDir = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
try {
  let start = 0;
  let before = process.cpuUsage();
  const rows = await must(works[side], 'a side: embedded or bare')(path, workDir, () => {
    start = systemClock.monotonic();
    before = process.cpuUsage();
  });
  const ms = systemClock.monotonic() - start;
  const { user, system } = process.cpuUsage(before);
  const result: IngestSide = {
    ms,
    cpuMs: (user + system) / 1000,
    residentMb: process.resourceUsage().maxRSS / 1024,
    rows,
  };
  console.log(JSON.stringify(result));
} finally {
  await rm(workDir, { recursive: true, force: true });
}
