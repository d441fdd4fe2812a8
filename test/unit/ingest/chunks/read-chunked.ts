// Reads a text in chunks as the stages do, in one folder, and gives back what the parts hold, as text.
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { derivedId } from '../../../../lib/core/ids.ts';
import { planTables } from '../../../../lib/ingest/chunks/plan-tables.ts';
import { planText } from '../../../../lib/ingest/chunks/pass-one.ts';
import { writeLarge } from '../../../../lib/ingest/chunks/parse-large.ts';
import { joinParts } from '../../../../lib/ingest/chunks/join-parts.ts';
import { leftIn } from '../../../../lib/ingest/chunks/plain.ts';
import { joinRejects } from '../../../../lib/ingest/chunks/join-rejects.ts';
import type { ReadOptions } from '../../../../lib/ingest/options.ts';
import {
  defaultReadLimits,
  type KeyWithin,
  type ListedTable,
  type ReadLimits,
} from '../../../../lib/ingest/reading/types.ts';
import { createMemoryObjects } from '../../../support/memory-objects.ts';
import { inFolder, textsOf } from '../world.ts';

type Format = 'csv' | 'tsv' | 'json' | 'ndjson';

/** A text in a store, and what a stage has to read it with. */
export async function opened(outer: string, content: string | Uint8Array, own: Partial<ReadLimits>) {
  const workDir = await mkdtemp(join(outer, 'work-'));
  const objects = createMemoryObjects();
  const limits = { ...defaultReadLimits, chunksAtOnce: 1, chunksAnInvocation: 1000, ...own };
  const bytes = Buffer.from(content);
  await objects.putOnce('source', bytes);
  const start = bytes.subarray(0, 3).toString() === '\ufeff' ? 3 : 0;
  const plain = { pieces: [{ key: 'source', bytes: bytes.length }], start, size: bytes.length };
  const { signal } = new AbortController();
  // What is kept comes back as JSON makes it.
  const step = async <T>(_name: string, work: () => Promise<T> | T): Promise<T> =>
    JSON.parse(JSON.stringify(await work())) as T;
  const ref = { tenant: 'acme', workspace: 'main', id: derivedId('job', 'chunked') };
  const ctx = { ref, epoch: 1, signal, step, progress: () => undefined, folder: async () => workDir } as never;
  return { outer, workDir, objects, limits, plain, signal, step, ctx };
}
type Opened = Awaited<ReturnType<typeof opened>>;

/** What the parts of a plan hold. */
async function written({ outer, workDir, objects, limits, ctx }: Opened, key: string, id = 'tbl') {
  const large = { objects, limits, dataset: 'ds', table: id, key } as never;
  const { plan, parts } = await writeLarge(ctx, large);
  const { table, counted } = joinParts(plan, parts);
  const rejects = await joinRejects(objects, { parts }, counted);
  const rows: (string | null)[][] = [];
  for (const part of table.parts) {
    const path = join(outer, 'part.parquet');
    await writeFile(path, (await objects.get(part.key)) ?? []);
    rows.push(...(await textsOf(workDir, path)));
  }
  const schema = table.columns.map(({ name, type }) => `${name} ${type}`);
  return { ...table, schema, rows, rejects, chunks: plan.chunks };
}

export async function readChunked(
  format: Format,
  content: string | Uint8Array,
  own: Partial<ReadLimits> = {},
  options: ReadOptions = {},
  leaving: 'drop chunks' | 'leave chunks' = 'drop chunks',
) {
  return inFolder(async (outer) => {
    const text = await opened(outer, content, own);
    const { workDir, objects } = text;
    const folder = leftIn(workDir);
    await mkdir(folder);
    const leave = leaving === 'leave chunks' ? folder : undefined;
    const { plan, sha256 } = await planText({ ...text, options, leave }, format);
    const left = await readdir(folder);
    await objects.putOnce('plan.json', JSON.stringify(plan));
    const table = await written(text, 'plan.json');
    return { ...table, sha256, left, stillLeft: await readdir(folder) };
  });
}

/** The same of a JSON text that is an object, or of which the options say where its table stands. */
export async function readArrays(
  content: string | Uint8Array,
  own: Partial<ReadLimits> = {},
  options: ReadOptions = {},
) {
  return inFolder(async (outer) => {
    const text = await opened(outer, content, own);
    const take = async ({ name, within }: ListedTable) => {
      const table = derivedId('tbl', name);
      return { table, tableName: name, sequence: 1, ...(within && { within: within as KeyWithin }) };
    };
    const holds = options.jsonPath === undefined ? 'keys' : 'a path';
    const table = holds === 'keys' ? undefined : await take({ name: 't' });
    const planning = { ...text, format: 'json', holds, named: 't', table, take, options, dataset: 'ds' } as never;
    const { plans, tables, sha256, warnings } = await planTables(text.ctx, planning);
    const read: (Awaited<ReturnType<typeof written>> & { name: string; within: unknown })[] = [];
    for (const [index, { table: id, tableName: name, within }] of tables.entries())
      read.push({ name, within, ...(await written(text, plans[index] ?? '', id)) });
    return { tables: read, sha256, warnings };
  });
}
