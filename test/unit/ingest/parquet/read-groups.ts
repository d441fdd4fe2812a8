// Reads a Parquet file by its row groups as the stages do, in one folder, and gives back what the parts hold, as text.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { derivedId } from '../../../../lib/core/ids.ts';
import { receiveGroups } from '../../../../lib/ingest/parquet/groups/receive-groups.ts';
import { readGroupsPlan } from '../../../../lib/ingest/parquet/groups/plan.ts';
import { parseGroups } from '../../../../lib/ingest/parquet/groups/parse-groups.ts';
import { defaultReadLimits, type ListedTable, type ReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { createMemoryObjects } from '../../../support/memory-objects.ts';
import { inFolder, textsOf } from '../world.ts';

const small = { groupBytes: 1, chunksAtOnce: 1, chunksAnInvocation: 100_000 };

export const readGroups = (bytes: Buffer, own: Partial<ReadLimits> = {}) =>
  inFolder(async (outer) => {
    const objects = createMemoryObjects();
    await objects.putOnce('source', bytes);
    const limits = { ...defaultReadLimits, ...small, ...own };
    const { signal } = new AbortController();
    const step = async <T>(_name: string, work: () => Promise<T> | T): Promise<T> =>
      JSON.parse(JSON.stringify(await work())) as T;
    const workDir = await mkdtemp(join(outer, 'work-'));
    const ref = { tenant: 'acme', workspace: 'main', id: derivedId('job', 'groups') };
    const ctx = { ref, epoch: 1, signal, step, progress: () => undefined, folder: async () => workDir } as never;
    const take = async ({ name }: ListedTable) => ({ table: derivedId('tbl', name), tableName: name, sequence: 1 });
    const file = { objectKey: 'source', size: bytes.length };
    const receiving = { objects, limits, dataset: 'ds', file, name: 't.parquet', options: {}, take } as never;
    const looked = await receiveGroups(ctx, receiving);
    if (looked?.kind !== 'found') throw new Error('it is no Parquet');
    const [key = ''] = looked.of.plans ?? [];
    const { chunks } = await readGroupsPlan(objects, key);
    const large = { objects, limits, dataset: 'ds', table: looked.of.tables[0]?.table, key };
    const table = await parseGroups(ctx, large as never);
    const rows: (string | null)[][] = [];
    await mkdir(join(outer, 'look'));
    const path = join(outer, 'look', 'part.parquet');
    for (const part of table.parts) {
      await writeFile(path, (await objects.get(part.key)) ?? []);
      rows.push(...(await textsOf(workDir, path)));
    }
    return { ...table, rows, chunks, sha256: looked.of.source.sha256 };
  });
