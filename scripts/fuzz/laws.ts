// What has to hold of every run, whatever was sent. A law that is broken is said in one sentence.
import { setTimeout as pause } from 'node:timers/promises';
import { faultCatalogue, type FaultCode } from '../../lib/core/fault.ts';
import type { Sent, Upload } from './inputs.ts';
import type { Answer, Body, FuzzWorld, TableSaid } from './world.ts';

export interface Judged {
  /** For the summary: the code, or what came of it. */
  readonly outcome: string;
  readonly broken?: string | undefined;
}

class Broken extends Error {}

function hold(holds: boolean, law: string): asserts holds {
  if (!holds) throw new Broken(law);
}

const isCode = (code: unknown): code is FaultCode => typeof code === 'string' && Object.hasOwn(faultCatalogue, code);

/** No 5xx; and a problem with a code of the catalogue where it is refused. Answers the outcome. */
function judgeAnswer({ status, type, body }: Answer): string {
  hold(status < 500, `the answer is ${status} ${JSON.stringify(body)}`);
  if (status < 400) return String(status);
  hold(type.startsWith('application/problem+json'), `a ${status} is no problem but ${type}`);
  hold(isCode(body.code), `the code ${JSON.stringify(body.code)} is not in the catalogue`);
  return body.code;
}

const ENDS: readonly (string | undefined)[] = ['succeeded', 'failed', 'cancelled', 'dead'];
const LOOK_AGAIN_MS = 20;

/** The job once it has ended. One that is to be tried again has broken a law: no file is better at the second try. */
async function endOf(world: FuzzWorld, id: string): Promise<Body> {
  for (;;) {
    const { body: job } = await world.send('files', 'GET', `/v1/jobs/${id}`);
    if (ENDS.includes(job.status)) return job;
    const { attempts = 0, crashes = 0 } = job;
    hold(attempts + crashes === 0, `the job is tried again after ${errorOf(job)}: ${world.errors().join()}`);
    await pause(LOOK_AGAIN_MS);
  }
}

const errorOf = ({ error }: Body): string => JSON.stringify(error);

async function judgeJob(world: FuzzWorld, dataset: string, job: Body): Promise<string> {
  const { body: listed } = await world.send('files', 'GET', `/v1/datasets/${dataset}/tables`);
  const shown = (listed.data ?? []).map(({ name }) => name).toSorted();
  if (job.status !== 'succeeded') return judgeFailure(job, shown);
  const tables = job.result?.tables ?? [];
  const named = tables.map(({ tableName }) => tableName).toSorted();
  hold(named.join() === shown.join(), `the job gave ${named.join()}, but ${shown.join()} show`);
  for (const table of tables) await judgeTable(world, dataset, table);
  return 'table';
}

function judgeFailure(job: Body, shown: readonly string[]): string {
  hold(job.status === 'failed', `the job ended as ${job.status ?? ''} with ${errorOf(job)}`);
  const code = job.error?.code;
  hold(isCode(code), `the job failed with ${errorOf(job)}, a code that is not in the catalogue`);
  hold(faultCatalogue[code].status < 500, `the job failed with ${errorOf(job)}`);
  hold(shown.length === 0, `the job failed, but ${shown.length} tables show`);
  return code;
}

/** What shows is whole: every row of it can be read. */
async function judgeTable(world: FuzzWorld, dataset: string, { tableName, rowCount }: TableSaid): Promise<void> {
  const sql = `SELECT count(*) AS n, count(DISTINCT hash(t)) AS d FROM "${tableName}" AS t`;
  const answer = await world.send('files', 'POST', `/v1/datasets/${dataset}/query`, { json: { sql } });
  judgeAnswer(answer);
  const counted = Number(answer.body.rows?.[0]?.[0]);
  hold(
    counted === rowCount,
    `${tableName} has ${rowCount} rows, a query finds ${counted}: ${JSON.stringify(answer.body)}`,
  );
}

async function judged(work: () => Promise<string>): Promise<Judged> {
  try {
    return { outcome: await work() };
  } catch (thrown) {
    const said =
      thrown instanceof Broken
        ? thrown.message
        : `the run threw ${thrown instanceof Error ? thrown.stack : String(thrown)}`;
    return { outcome: 'broken', broken: said };
  }
}

/** Uploads into a dataset of its own, waits for the end, and looks at what shows. */
export const judgeUpload = (world: FuzzWorld, { name, bytes, options }: Upload, run: number): Promise<Judged> =>
  judged(async () => {
    const created = await world.send('files', 'POST', '/v1/datasets', { json: { name: `fuzz-${run}` } });
    judgeAnswer(created);
    const dataset = created.body.id ?? '';
    const query = new URLSearchParams({ name, ...(options !== undefined && { options: JSON.stringify(options) }) });
    const answer = await world.send('files', 'POST', `/v1/datasets/${dataset}/files?${query.toString()}`, {
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    });
    const outcome = judgeAnswer(answer);
    return answer.status < 300 ? judgeJob(world, dataset, await endOf(world, answer.body.id ?? '')) : outcome;
  });

export const judgeRequest = (world: FuzzWorld, { method, path, headers, body }: Sent): Promise<Judged> =>
  judged(async () => {
    const answer = await world.send('requests', method, path, { headers: { ...headers }, ...(body && { body }) });
    return judgeAnswer(answer);
  });
