// The caller of the measured service, in a process of its own, so that what it takes is not counted: sends a file in parts and waits for its
// table, then asks queries of it. `fork`ed; tells its parent when it begins, when the file is sent, and when the table is there.
import { open, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { must } from '../../lib/core/check.ts';
import { queryOverhead } from './queries.ts';

interface Said {
  readonly id: string;
  readonly status: string;
  readonly completeRoute: string;
  readonly partSize: number;
  readonly parts: readonly { readonly number: number; readonly url: string }[];
  readonly error?: { readonly code: string };
  readonly result: {
    readonly tables: readonly { readonly table: string; readonly tableName: string; readonly rowCount: number }[];
  };
}

/** What it tells its parent, in this order. */
export type Told =
  | { readonly kind: 'begun' }
  | { readonly kind: 'sent'; readonly job: string }
  | { readonly kind: 'there'; readonly rows: number }
  /** ms that a query takes longer. */
  | { readonly kind: 'queried'; readonly queryMs: number };

const tell = (told: Told): void => void process.send?.(told);

const [url = '', key = '', file = '', warmUp = '', directory = ''] = process.argv.slice(2);

async function call<T = Said>(method: string, route: string, json?: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = json !== undefined && { body: JSON.stringify(json) };
  const answer = await fetch(`${url}${route}`, { method, headers, ...body });
  if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Answers the ETag. `fetch` copies the bytes twice on their way and takes three times the processor, which is that of the service too. */
const put = (target: string, body: Uint8Array): Promise<string> =>
  new Promise((done, fail) => {
    const sending = request(target, { method: 'PUT', headers: { 'content-length': body.length } }, (answer) => {
      answer.resume().once('end', () => {
        const { statusCode, headers } = answer;
        if (statusCode === 200) done(must(headers.etag, 'an ETag'));
        else fail(new Error(`PUT of a part: ${statusCode}`));
      });
    });
    sending.once('error', fail).end(body);
  });

/** Parts on their way at a time; the AWS CLI has ten. */
const PARTS_AT_ONCE = 4;

async function send(path: string, { parts, partSize }: Said, size: number) {
  await using source = await open(path);
  const waiting = parts.values();
  const sent: { number: number; etag: string }[] = [];
  const sendNext = async (): Promise<void> => {
    const bytes = Buffer.allocUnsafe(Math.min(partSize, size));
    for (const { number, url: target } of waiting) {
      const from = (number - 1) * partSize;
      const body = bytes.subarray(0, Math.min(partSize, size - from));
      await source.read(body, 0, body.length, from);
      sent.push({ number, etag: await put(target, body) });
    }
  };
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, sendNext));
  return sent;
}

interface Phases {
  readonly begun: () => void;
  readonly sent: (job: string) => void;
}

/** Answers the table that the file has become. */
async function ingest(dataset: string, path: string, { begun, sent }: Phases) {
  const { size } = await stat(path);
  begun();
  const upload = await call('POST', `/v1/datasets/${dataset}/uploads`, { name: basename(path), size });
  let job = await call('POST', upload.completeRoute, { parts: await send(path, upload, size) });
  sent(job.id);
  while (!['succeeded', 'failed', 'dead'].includes(job.status))
    job = await call('GET', `/v1/jobs/${job.id}/watch?wait=20`);
  if (job.status !== 'succeeded') throw new Error(`The job ended as ${job.status} with ${job.error?.code ?? ''}.`);
  return must(job.result.tables[0], 'a table');
}

const POLL_MS = 50;

/** Resolves once the job that follows a publish has ended: it would be measured with the next file. */
async function whenIndexed(): Promise<void> {
  for (;;) {
    const { data: jobs } = await call<{ data: Pick<Said, 'status'>[] }>('GET', '/v1/jobs?kind=system.after-ingest');
    if (jobs.length > 0 && jobs.every(({ status }) => status === 'succeeded')) return;
    await setTimeout(POLL_MS);
  }
}

const { id: dataset } = await call('POST', '/v1/datasets', { name: 'bench' });
const { id: before } = await call('POST', '/v1/datasets', { name: 'before' });
// A function that has run before has its code at hand.
await ingest(before, warmUp, { begun: () => undefined, sent: () => undefined });
await whenIndexed();
const phases = { begun: () => tell({ kind: 'begun' }), sent: (job: string) => tell({ kind: 'sent', job }) };
const { table: id, tableName: table, rowCount: rows } = await ingest(dataset, file, phases);
tell({ kind: 'there', rows });
const ask = (sql: string) => call('POST', `/v1/datasets/${dataset}/query`, { sql });
tell({ kind: 'queried', queryMs: await queryOverhead({ table, id, directory, ask }) });
process.disconnect();
