import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../core/fault.ts';
import type { Objects } from '../../core/objects.ts';
import { defineStage } from '../../pipeline/stage.ts';
import type { ReadLimits } from '../reading/types.ts';
import { parsed, type Received } from './outputs.ts';
import { attemptKey, freshFolder, localCopy, PART, SOURCE } from './place.ts';

interface Deps {
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

/** The file becomes one Parquet part, under the types that keep every value. Faults: those of `readTable`. */
export const createParse = ({ objects, limits }: Deps) =>
  defineStage({
    ...parsed,
    run: async (ctx, { dataset, table, objectKey, source }: Received) => {
      const path = await localCopy(ctx, objects, objectKey, SOURCE);
      const workDir = await freshFolder(ctx, 'parse');
      // Loaded when it is needed: whoever only names the pipeline runs without the engine, and is deployed without it.
      const { readTable } = await import('../reading/read-table.ts');
      const read = await readTable({ path, name: source.name, workDir, limits, signal: ctx.signal });
      ctx.signal.throwIfAborted();
      const part = join(await ctx.folder(), PART);
      await rename(read.parquetPath, part);
      await rm(path);
      const key = attemptKey(ctx, dataset, table, PART);
      await putPart(objects, key, part, read.parquetBytes);
      const { columns, rowCount, warnings } = read;
      ctx.progress(rowCount, rowCount, 'parse');
      return {
        columns: [...columns],
        rowCount,
        parts: [{ key, bytes: read.parquetBytes, rows: rowCount }],
        warnings: [...warnings],
      };
    },
  });

/** A key that is taken can only be this very upload, sent twice: its size tells. */
async function putPart(objects: Objects, key: string, path: string, bytes: number): Promise<void> {
  if ((await objects.putFileOnce(key, path)) === 'written') return;
  const found = await objects.head(key);
  if (found?.size !== bytes) throw new Fault('INTERNAL', `Another object stands at ${key}.`);
}
