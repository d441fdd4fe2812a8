// Reads a text in chunks as the stages do, in one folder, and gives back what the parts hold, as text.
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { derivedId } from '../../../../lib/core/ids.ts';
import { planText } from '../../../../lib/ingest/chunks/pass-one.ts';
import { writeLarge } from '../../../../lib/ingest/chunks/parse-large.ts';
import { joinParts } from '../../../../lib/ingest/chunks/join-parts.ts';
import { leftIn } from '../../../../lib/ingest/chunks/plain.ts';
import { joinRejects } from '../../../../lib/ingest/chunks/join-rejects.ts';
import type { ReadOptions } from '../../../../lib/ingest/options.ts';
import { defaultReadLimits, type ReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { createMemoryObjects } from '../../../support/memory-objects.ts';
import { inFolder, textsOf } from '../world.ts';

export async function readChunked(
  format: 'csv' | 'tsv' | 'json' | 'ndjson',
  content: string | Uint8Array,
  own: Partial<ReadLimits> = {},
  options: ReadOptions = {},
  leaving: 'drop chunks' | 'leave chunks' = 'drop chunks',
) {
  return inFolder(async (outer) => {
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
    const folder = leftIn(workDir);
    await mkdir(folder);
    const leave = leaving === 'leave chunks' ? folder : undefined;
    const { plan, sha256 } = await planText({ objects, plain, signal, ctx, limits, workDir, options, leave }, format);
    const left = await readdir(folder);
    await objects.putOnce('plan.json', JSON.stringify(plan));
    const large = { objects, limits, dataset: 'ds', table: 'tbl', key: 'plan.json' } as never;
    const { plan: last, parts } = await writeLarge(ctx, large);
    const stillLeft = await readdir(folder);
    const { table, counted } = joinParts(last, parts);
    const rejects = await joinRejects(objects, parts, counted);
    const rows: (string | null)[][] = [];
    for (const { key } of table.parts) {
      const path = join(outer, 'part.parquet');
      await writeFile(path, (await objects.get(key)) ?? []);
      rows.push(...(await textsOf(workDir, path)));
    }
    return {
      ...table,
      schema: table.columns.map(({ name, type }) => `${name} ${type}`),
      rows,
      sha256,
      rejects,
      chunks: last.chunks,
      left,
      stillLeft,
    };
  });
}
