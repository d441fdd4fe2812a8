// Queries that take longer than a caller waits: what runs them inside a job, on the local disk of one invocation and under limits of its
// own. The parts are fetched anew each time, and go with the invocation.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Documents } from '../../core/documents.ts';
import type { Objects } from '../../core/objects.ts';
import type { Clock, DurationMs } from '../../core/time.ts';
import { createPartCache } from '../../query/parts.ts';
import type { AskQuery, QueryFile, QueryLimits, ResultOrder } from '../../query/types.ts';
import type { Catalog } from '../catalog.ts';
import { createDatasetQuery, type DatasetQueryRequest } from '../dataset-query.ts';

export interface LongQueryLimits extends Omit<QueryLimits, 'tempDirectory'> {
  /** Bytes of the parts of the tables that one query names. */
  readonly partBytes: number;
  /** Bytes of a result. */
  readonly fileBytes: number;
}

export interface LongQueryRequest extends Omit<DatasetQueryRequest, 'into'> {
  readonly into: Omit<ResultOrder, 'bytes'>;
  /** An empty folder of this run alone. */
  readonly directory: string;
  /** Less than the limit, where it is given. */
  readonly timeout?: DurationMs | undefined;
  /** The parts are there, and DuckDB begins. */
  readonly started?: (() => void) | undefined;
}

/** Writes the rows to `request.into`. Throws what `DatasetQuery` throws. */
export type LongQueries = (request: LongQueryRequest) => Promise<QueryFile>;

export interface LongQueryDeps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly ask: AskQuery;
  readonly limits: LongQueryLimits;
}

export const createLongQueries =
  ({ ask, limits: { partBytes, fileBytes: bytes, ...limits }, ...deps }: LongQueryDeps): LongQueries =>
  async ({ directory, timeout = limits.timeoutMs, started, into, ...request }) => {
    const tempDirectory = join(directory, 'spill');
    await mkdir(tempDirectory);
    const parts = createPartCache({ directory: join(directory, 'parts'), maxBytes: partBytes, objects: deps.objects });
    const bounded = { ...limits, tempDirectory, timeoutMs: timeout < limits.timeoutMs ? timeout : limits.timeoutMs };
    const begin: AskQuery = (...asked) => {
      started?.();
      return ask(...asked);
    };
    return createDatasetQuery({ ...deps, parts, limits: bounded, ask: begin })('file', {
      ...request,
      into: { ...into, bytes },
    });
  };
