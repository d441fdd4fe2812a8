// A query that runs as a job, as HTTP shows it.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import type { DatasetId, JobId } from '../core/ids.ts';
import { passingFor } from '../core/objects.ts';
import { later, toIso } from '../core/time.ts';
import {
  type KeptFormat,
  keptFormats,
  QUERY_KIND,
  type QueryJobInput,
  type QueryJobResult,
  readQueryInput,
  readQueryResult,
} from '../ingest/queries/query-job.ts';
import { isMaskedSince } from '../ingest/queries/masked-since.ts';
import { linkedFor } from '../ingest/query-results.ts';
import { loadPayload } from '../job/payload.ts';
import { type JobRow, progressSchema, refOf } from '../job/row.ts';
import { jobStatuses } from '../job/status.ts';
import type { Caller } from './auth.ts';
import type { HttpDeps } from './deps.ts';
import { errorSchema, jobView } from './job-view.ts';
import { mediaTypes } from './result-formats.ts';
import { idSchema, isoTime } from './schemas.ts';
import { datasetParams } from './routes/datasets.ts';
import { rowOf } from './routes/jobs.ts';

export const queryIdParams = datasetParams.extend({ queryId: idSchema<JobId>('job') });

export const resultColumns = z.array(z.strictObject({ name: z.string(), type: z.string() }));
const resultSchema = z.strictObject({
  columns: resultColumns,
  rowCount: z.int(),
  truncated: z.boolean().meta({ description: 'True when there were more rows than the limit.' }),
  bytes: z.int(),
  elapsedMs: z.number(),
  expiresAt: isoTime.meta({ description: 'Until when the rows are there.' }),
  url: z.url().optional().meta({ description: 'GET the file here, without a key; not for `pages`.' }),
  urlExpiresAt: isoTime.optional().meta({ description: 'When this URL stops to work; ask again for another.' }),
});

export const querySchema = z.lazy(() =>
  z
    .strictObject({
      id: idSchema<JobId>('job'),
      datasetId: idSchema<DatasetId>('ds'),
      status: z.enum(jobStatuses),
      sql: z.string(),
      savedQuery: z.string().optional(),
      format: z.enum(keptFormats),
      progress: progressSchema.optional(),
      error: errorSchema.optional(),
      result: resultSchema.optional().meta({
        description:
          'Once it has succeeded, as long as the rows are there and no column that it may have read is masked since.',
      }),
      createdAt: isoTime,
      finishedAt: isoTime.optional(),
    })
    .meta({ id: 'Query' }),
);

/** The job of a query of this dataset. Throws NOT_FOUND for any other job. */
export async function queryRow(deps: HttpDeps, caller: Caller, { id, queryId }: z.output<typeof queryIdParams>) {
  const row = await rowOf(deps, caller, queryId);
  const input = row.kind === QUERY_KIND ? readQueryInput(await loadPayload(deps, refOf(row), row.input)) : undefined;
  if (input?.dataset !== id) throw new Fault('NOT_FOUND', `There is no query ${queryId} in this dataset.`);
  return { row, input };
}

/** Undefined before it has succeeded, once its rows are gone, and where they may hold what is masked since. */
export async function resultOf(deps: HttpDeps, row: JobRow) {
  if (row.status !== 'succeeded' || row.result === undefined || row.finishedAt === undefined) return undefined;
  const expiresAt = later(row.finishedAt, passingFor);
  if (deps.clock.now() >= expiresAt) return undefined;
  const result = readQueryResult(await loadPayload(deps, refOf(row), row.result));
  const { dataset, tables = [] } = result;
  return (await isMaskedSince(deps, { scope: refOf(row), dataset, tables })) ? undefined : { expiresAt, ...result };
}

async function linkOf({ objects, clock }: HttpDeps, { format, key }: Pick<QueryJobResult, 'format' | 'key'>) {
  if (format === 'pages') return {};
  const download = { expires: linkedFor, name: `result.${format}`, type: mediaTypes[format] };
  return { url: await objects.presignGet(key, download), urlExpiresAt: toIso(later(clock.now(), linkedFor)) };
}

export async function queryView(
  deps: HttpDeps,
  row: JobRow,
  { dataset, sql, format, savedQuery: name }: QueryJobInput,
) {
  const { id, status, progress, error, createdAt, finishedAt } = jobView(row, deps.clock.now());
  const found = await resultOf(deps, row);
  const result = found && {
    ...{ columns: found.columns, rowCount: found.rowCount, truncated: found.truncated },
    ...{ bytes: found.bytes, elapsedMs: found.elapsedMs, expiresAt: toIso(found.expiresAt) },
    ...(await linkOf(deps, found)),
  };
  const named = name !== undefined && { savedQuery: name };
  const kept: KeptFormat = format;
  return {
    ...{ id, datasetId: dataset, status, sql, ...named, format: kept, createdAt },
    ...(progress !== undefined && { progress }),
    ...(error !== undefined && { error }),
    ...(result !== undefined && { result }),
    ...(finishedAt !== undefined && { finishedAt }),
  };
}
