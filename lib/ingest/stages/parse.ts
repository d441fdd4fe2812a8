import { rm } from 'node:fs/promises';
import { must } from '../../core/check.ts';
import type { Objects } from '../../core/objects.ts';
import { defineStage, type StageContext } from '../../pipeline/stage.ts';
import type { ReadLimits } from '../reading/types.ts';
import { writeRejects } from '../rejects/write-rejects.ts';
import { parseList } from './parse-list.ts';
import { parsed, type ParsedTable, type Received, type ReceivedTable } from './outputs.ts';
import { attemptKey, freshFolder, localCopy, PART, putPart, REJECTS, SOURCE } from './place.ts';

interface Deps {
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

/**
 * Each table of the file becomes one Parquet part, or of a large file one a chunk, under the types that keep every value. Faults: those of
 * `readTable`.
 */
export const createParse = ({ objects, limits }: Deps) =>
  defineStage({
    ...parsed,
    run: async (ctx, file: Received) => {
      const plans = file.plans ?? (file.plan === undefined ? undefined : [file.plan]);
      if (plans !== undefined) return { tables: await parsePlanned(ctx, { objects, limits }, file, plans) };
      if (file.list !== undefined) return { tables: [await parseList(ctx, { objects, limits }, file)] };
      const path = await localCopy(ctx, objects, must(file.objectKey, 'the key of the file'), SOURCE);
      const tables: ParsedTable[] = [];
      let rows = 0;
      // One after the other: memory and disk are those of the largest.
      for (const table of file.tables) {
        const read = await parseTable(ctx, { objects, limits }, file, table, path);
        tables.push(read);
        rows += read.rowCount;
        ctx.progress(rows, rows, 'parse');
      }
      await rm(path);
      return { tables };
    },
  });

async function parsePlanned(ctx: StageContext, deps: Deps, file: Received, plans: readonly string[]) {
  const { dataset, tables, source } = file;
  const parseOne =
    source.format === 'parquet'
      ? (await import('../parquet/groups/parse-groups.ts')).parseGroups
      : (await import('../chunks/parse-large.ts')).parseLarge;
  const read: ParsedTable[] = [];
  for (const [index, { table }] of tables.entries())
    read.push(await parseOne(ctx, { ...deps, dataset, table, key: must(plans[index], 'a plan') }));
  return read;
}

async function parseTable(
  ctx: StageContext,
  { objects, limits }: Deps,
  { dataset, source, options }: Received,
  { table, within, entry, verbatim }: ReceivedTable,
  path: string,
): Promise<ParsedTable> {
  const workDir = await freshFolder(ctx, 'parse');
  // Loaded when it is needed: whoever only names the pipeline runs without the engine, and is deployed without it.
  const { readTable } = await import('../reading/read-table.ts');
  const read = await readTable({
    path,
    name: source.name,
    workDir,
    limits,
    options,
    within,
    entry,
    verbatim,
    signal: ctx.signal,
  });
  ctx.signal.throwIfAborted();
  const { columns, rowCount, warnings, parquetPath, parquetBytes: bytes } = read;
  const key = attemptKey(ctx, dataset, table, PART);
  await putPart(objects, key, parquetPath, bytes);
  const rejects = read.rejects && (await writeRejects(objects, attemptKey(ctx, dataset, table, REJECTS), read.rejects));
  const parts = [{ key, bytes, rows: rowCount }];
  return { columns: [...columns], rowCount, parts, warnings: [...warnings], ...(rejects && { rejects }) };
}
