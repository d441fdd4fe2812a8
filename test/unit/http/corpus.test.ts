// A part of the corpus as a caller meets it: uploaded with its options over HTTP, and asked for by SQL.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FuzzWorld, startFuzzWorld } from '../../../scripts/fuzz/world.ts';
import { areas, type CorpusCase, casesOf, pathOf } from '../../corpus/cases.ts';

let world: FuzzWorld;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'millrace-corpus-'));
  world = await startFuzzWorld(directory);
}, 60_000);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
}, 60_000);

/** One in so many, of each area, and what a text may lose on its way out. */
const EVERY = 14;
const always = [
  'bom-inside.csv',
  'sentence-name.csv',
  'noncharacters.csv',
  'nul-in-text.json',
  'int64-edges.csv',
  'proto.csv',
];
const some = areas.flatMap((area) =>
  casesOf(area).filter((one, at) => at % EVERY === 0 || always.includes(basename(one.file))),
);

const send = (method: string, path: string, sent: Parameters<FuzzWorld['send']>[3] = {}) =>
  world.send('files', method, path, sent);

async function ended(id: string) {
  for (;;) {
    const { status, body } = await send('GET', `/v1/jobs/${id}/watch?wait=20`);
    if (status !== 200) throw new Error(`the wait is answered with ${status} ${JSON.stringify(body)}`);
    if (body.status === 'succeeded' || body.status === 'failed') return body;
  }
}

async function upload(asked: CorpusCase) {
  const name = asked.file.replaceAll('/', '-');
  const { body: made } = await send('POST', '/v1/datasets', { json: { name } });
  const dataset = made.id ?? '';
  const query = new URLSearchParams({
    name: basename(asked.file),
    ...(asked.options && { options: JSON.stringify(asked.options) }),
  });
  const answer = await send('POST', `/v1/datasets/${dataset}/files?${query.toString()}`, {
    body: await readFile(pathOf(asked)),
    headers: { 'content-type': 'application/octet-stream' },
  });
  return { dataset, answer };
}

/** Types whose values an answer in JSON writes as the table prints them. */
const isPlain = (column: string): boolean => / (VARCHAR|BIGINT|DECIMAL\(\d+,\d+\)|DATE)$/.test(column);

describe('a file of the corpus over HTTP', () => {
  it.each(some)('$file: $like', async (asked) => {
    const { dataset, answer } = await upload(asked);
    if ('fault' in asked && answer.status >= 400) {
      expect(answer.body.code).toBe(asked.fault);
      return;
    }
    const job = await ended(answer.body.id ?? '');
    if ('fault' in asked) {
      expect([job.status, job.error?.code]).toEqual(['failed', asked.fault]);
      expect((await send('GET', `/v1/datasets/${dataset}/tables`)).body.data).toEqual([]);
      return;
    }
    const expected =
      'tables' in asked ? Object.entries(asked.tables) : [[job.result?.tables[0]?.tableName, asked] as const];
    for (const [name, { columns, rows }] of expected) {
      const { body } = await send('POST', `/v1/datasets/${dataset}/query`, {
        json: { sql: `SELECT * FROM "${name}"` },
      });
      expect(body.rows?.length).toBe(rows.length);
      const texts = body.rows?.map((row) => row.map((value) => (typeof value === 'number' ? value.toString() : value)));
      if (columns.every(isPlain)) expect(texts).toEqual(rows);
    }
  });
});
