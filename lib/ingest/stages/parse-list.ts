import { rm } from 'node:fs/promises';
import type { Objects } from '../../core/objects.ts';
import { must } from '../../core/check.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { ReadLimits } from '../reading/types.ts';
import { writeRejects } from '../rejects/write-rejects.ts';
import { readFileList } from '../union/file-list.ts';
import type { ParsedTable, Received } from './outputs.ts';
import { attemptKey, freshFolder, localCopy, putPart, REJECTS } from './place.ts';

interface Deps {
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

/** The files of a list become the parts of one table. Faults: those of `readUnion`, INPUT_UNREADABLE. */
export async function parseList(ctx: StageContext, { objects, limits }: Deps, file: Received): Promise<ParsedTable> {
  const { dataset, objectKey, options, list: { fileColumn } = {} } = file;
  const { table, verbatim } = must(file.tables[0], 'a table');
  const { list } = await readFileList(objects, must(objectKey, 'the key of the list'));
  const files: { path: string; name: string }[] = [];
  for (const [index, { key, name }] of list.files.entries()) {
    files.push({ path: await localCopy(ctx, objects, key, `listed-${index}`), name });
    ctx.progress(index + 1, list.files.length, 'fetch');
  }
  const workDir = await freshFolder(ctx, 'union');
  // Loaded when it is needed, as in the stage beside it.
  const { readUnion } = await import('../union/read-union.ts');
  const read = await readUnion({ files, workDir, limits, options, verbatim, fileColumn, signal: ctx.signal });
  ctx.signal.throwIfAborted();
  const parts = [];
  for (const [index, { path, bytes, rows }] of read.parts.entries()) {
    const key = attemptKey(ctx, dataset, table, `part-${String(index).padStart(5, '0')}.parquet`);
    await putPart(objects, key, path, bytes);
    parts.push({ key, bytes, rows });
  }
  await Promise.all([rm(workDir, { recursive: true }), ...files.map(({ path }) => rm(path, { force: true }))]);
  const rejects = read.rejects && (await writeRejects(objects, attemptKey(ctx, dataset, table, REJECTS), read.rejects));
  const { columns, rowCount, warnings } = read;
  return { columns: [...columns], rowCount, parts, warnings: [...warnings], ...(rejects && { rejects }) };
}
