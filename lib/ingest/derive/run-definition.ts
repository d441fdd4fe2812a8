import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { SnapshotId, TableId } from '../../core/ids.ts';
import type { Warning } from '../../core/warning.ts';
import { defineStage, type StageContext } from '../../pipeline/stage.ts';
import type { QueryColumn } from '../../query/types.ts';
import type { IngestDeps } from '../pipeline.ts';
import type { ReadLimits } from '../reading/types.ts';
import { parsed, type ParsedTable, type Received, type ReceivedTable } from '../stages/outputs.ts';
import { attemptKey, freshFolder, PART, putPart } from '../stages/place.ts';
import { warn } from '../warnings.ts';
import type { Derivation } from './derivation.ts';
import { requireColumns } from './rules.ts';

type Deps = Pick<IngestDeps, 'objects' | 'longQueries'> & { readonly limits: ReadLimits };

/** Fetch, run, put. */
const STEPS = 3;

/**
 * In place of parsing: the rows of the SQL over the snapshots that were received become the table's one part. Faults: those of a query that
 * runs as a job, SQL_INVALID for a column without a name, TOO_MANY_COLUMNS.
 */
export const createRunDefinition = (deps: Deps) =>
  defineStage({
    ...parsed,
    run: async (ctx, defined: Received) => {
      const [table] = defined.tables;
      return { tables: table === undefined ? [] : [await runDefinition(ctx, deps, defined, table)] };
    },
  });

async function runDefinition(
  ctx: StageContext,
  { objects, longQueries, limits }: Deps,
  defined: Received,
  { table }: ReceivedTable,
): Promise<ParsedTable> {
  const { dataset } = defined;
  const { made, manifests } = must(defined.derivation, 'the definition of a derived table');
  const { tenant, workspace } = ctx.ref;
  const directory = await freshFolder(ctx, 'derive');
  const path = join(directory, PART);
  ctx.progress(0, STEPS, 'fetch');
  const written = await must(longQueries, 'what runs long queries').run({
    ...{
      scope: { tenant, workspace },
      dataset,
      sql: made.sql,
      params: made.params ?? {},
      directory,
      signal: ctx.signal,
    },
    tables: made.sources.map(({ table: id, name, snapshot }, at) => ({
      ...{ id: id as unknown as TableId, name },
      manifest: {
        ...{ tenant, workspace, dataset, table: id as unknown as TableId },
        ...{ snapshot: snapshot as unknown as SnapshotId, key: must(manifests[at], 'a manifest') },
      },
    })),
    into: { format: 'parquet', path, rows: Infinity },
    started: () => ctx.progress(1, STEPS, 'query'),
  });
  ctx.signal.throwIfAborted();
  requireColumns(written.columns);
  if (written.columns.length > limits.maxColumns)
    throw new Fault(
      'TOO_MANY_COLUMNS',
      `There are ${written.columns.length} columns; ${limits.maxColumns} are the limit.`,
    );
  const stored = await storedIn(ctx, limits, path, written.columns);
  ctx.progress(2, STEPS, 'put');
  const key = attemptKey(ctx, dataset, table, PART);
  await putPart(objects, key, path, written.bytes);
  await rm(directory, { recursive: true, force: true });
  ctx.progress(STEPS, STEPS, 'put');
  const parts = [{ key, bytes: written.bytes, rows: written.rowCount }];
  return {
    ...{ columns: [...written.columns], rowCount: written.rowCount, parts, warnings: masksIn(made) },
    ...(stored.length > 0 && { stored }),
  };
}

/** The columns that Parquet has no form for, each with the type that the part holds it as. */
async function storedIn(
  ctx: StageContext,
  limits: ReadLimits,
  path: string,
  columns: readonly QueryColumn[],
): Promise<ParsedTable['columns']> {
  const workDir = await freshFolder(ctx, 'columns');
  // Loaded when it is needed: whoever only names the pipeline is deployed without the engine.
  const [{ withEngine }, { describeParquet }] = await Promise.all([
    import('../engine/engine.ts'),
    import('../parquet/describe.ts'),
  ]);
  const held = await withEngine({ workDir, limits, signal: ctx.signal }, (engine) => describeParquet(engine, path));
  return columns.flatMap(({ name, type }, at) => {
    const stored = must(held[at], 'a column of the part').type;
    return stored === type ? [] : [{ name, type: stored }];
  });
}

/** More is said in the definition of the table. */
const SHOWN = 20;

function masksIn({ sources }: Derivation): Warning[] {
  const masked = sources.flatMap(({ name, masked: of = [] }) => of.map((column) => `${name}.${column}`));
  if (masked.length === 0) return [];
  const more = masked.length > SHOWN ? ', …' : '';
  const detail = `They are ${masked.slice(0, SHOWN).join(', ')}${more}.`;
  return [warn('SOURCE_MASKED', { count: masked.length, detail })];
}
