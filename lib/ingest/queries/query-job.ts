// The kind `query`: one SELECT as a job of one stage. Its rows are an object that goes by itself after a day; the result of the job says
// where it is, and the routes of queries lead to it.
import { join } from 'node:path';
import * as z from 'zod';
import { must } from '../../core/check.ts';
import { type DatasetId, type JobRef, type Scope } from '../../core/ids.ts';
import { type Objects, objectKey } from '../../core/objects.ts';
import { seconds } from '../../core/time.ts';
import { type Pipeline, pipeline } from '../../pipeline/definition.ts';
import { defineStage, type StageContext } from '../../pipeline/stage.ts';
import { idOf } from '../id-of.ts';
import { freshFolder } from '../stages/place.ts';
import type { LongQueries } from './long-queries.ts';
import { type TableRead, tableReadSchema } from './masked-since.ts';
import { queryParams } from '../../query/params-schema.ts';

/** How the rows are kept: a file in a format, or lines that the pages of a result are read from. */
export const keptFormats = ['json', 'ndjson', 'csv', 'arrow', 'parquet', 'pages'] as const;
export type KeptFormat = (typeof keptFormats)[number];

/** Seconds; what a run of a stage may take at most stays above it. */
export const MOST_QUERY_SECONDS = 600;

export const queryJobInput = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    sql: z.string(),
    params: queryParams.optional(),
    limit: z.int().min(1).optional(),
    format: z.enum(keptFormats),
    timeoutSeconds: z.int().min(1).max(MOST_QUERY_SECONDS).optional(),
    /** Whose SQL it is. */
    savedQuery: z.string().optional(),
  }),
);
export type QueryJobInput = z.infer<typeof queryJobInput>;

const resultSchema = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    format: z.enum(keptFormats),
    /** Of the object. */
    key: z.string(),
    bytes: z.int(),
    columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
    rowCount: z.int(),
    truncated: z.boolean(),
    elapsedMs: z.number(),
    /** What it may have read; absent in results of earlier releases. */
    tables: z.array(tableReadSchema).optional(),
  }),
);
export type QueryJobResult = z.infer<typeof resultSchema>;
/** What is stored is read back. */
export const readQueryInput = (value: unknown): QueryJobInput => queryJobInput.parse(value);
export const readQueryResult = (value: unknown): QueryJobResult => resultSchema.parse(value);

export const QUERY_KIND = 'query';

export interface QueryJobDeps {
  readonly objects: Objects;
  /** Absent where stages do not run. */
  readonly longQueries?: LongQueries | undefined;
}

export const createQueryJob = (deps: QueryJobDeps): Pipeline<QueryJobResult> =>
  pipeline(QUERY_KIND, { input: queryJobInput, version: '1' }).stage(
    defineStage({
      name: 'query',
      output: resultSchema,
      run: (ctx, input: QueryJobInput) => runQuery(deps, ctx, input),
    }),
  );

/** Fetch, run, put. */
const STEPS = 3;

async function runQuery({ objects, longQueries }: QueryJobDeps, ctx: StageContext, input: QueryJobInput) {
  const { dataset, sql, params, limit, format, timeoutSeconds } = input;
  const directory = await freshFolder(ctx, 'query');
  const path = join(directory, 'result');
  const into = {
    format: format === 'pages' ? 'rows' : format,
    path,
    rows: limit ?? Infinity,
  } as const;
  let tables: readonly TableRead[] = [];
  ctx.progress(0, STEPS, 'fetch');
  const file = await must(longQueries, 'what runs long queries').run({
    ...{ scope: scopeOf(ctx.ref), dataset, sql, params, into, directory, signal: ctx.signal },
    timeout: timeoutSeconds === undefined ? undefined : seconds(timeoutSeconds),
    started: () => ctx.progress(1, STEPS, 'query'),
    reads: (read) => (tables = read),
  });
  ctx.signal.throwIfAborted();
  ctx.progress(2, STEPS, 'put');
  const key = objectKey(ctx.ref.tenant, ctx.ref.workspace, 'results', dataset, ctx.ref.id, ctx.epoch, 'result');
  await objects.movePassingFile(key, path);
  ctx.progress(STEPS, STEPS, 'put');
  const { bytes, columns, rowCount, truncated, elapsedMs } = file;
  return { dataset, format, key, bytes, columns: [...columns], rowCount, truncated, elapsedMs, tables: [...tables] };
}

const scopeOf = ({ tenant, workspace }: JobRef): Scope => ({ tenant, workspace });

/** What a job is submitted with. */
export const queryJob = (dataset: DatasetId, asked: Omit<QueryJobInput, 'dataset'>) => ({
  kind: QUERY_KIND,
  input: { dataset, ...asked },
});
