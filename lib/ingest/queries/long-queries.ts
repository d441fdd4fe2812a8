// Queries that take longer than a caller waits: what runs them inside a job, on the local disk of one invocation and under limits of its
// own. The parts are fetched anew each time, and go with the invocation.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Documents } from '../../core/documents.ts';
import type { Objects } from '../../core/objects.ts';
import type { Clock, DurationMs } from '../../core/time.ts';
import { createPartCache } from '../../query/parts.ts';
import type { AskQuery, QueryCheck, QueryFile, QueryLimits, ResultOrder } from '../../query/types.ts';
import type { Catalog } from '../catalog.ts';
import { createDatasetQuery, type DatasetQueryRequest } from '../dataset-query.ts';

export interface LongQueryLimits extends Omit<QueryLimits, 'tempDirectory'> {
  /** Bytes of the parts of the tables that one query names. */
  readonly partBytes: number;
  /** Bytes of a result. */
  readonly fileBytes: number;
}

interface WithFolder {
  /** An empty folder of this run alone. */
  readonly directory: string;
}

export interface LongQueryRequest extends Omit<DatasetQueryRequest, 'into'>, WithFolder {
  readonly into: Omit<ResultOrder, 'bytes'>;
  /** Less than the limit, where it is given. */
  readonly timeout?: DurationMs | undefined;
  /** The parts are there, and DuckDB begins. */
  readonly started?: (() => void) | undefined;
}

/** Both throw what `DatasetQuery` throws. */
export interface LongQueries {
  /** Writes the rows to `request.into`. */
  run(request: LongQueryRequest): Promise<QueryFile>;
  /** Fetches nothing. */
  check(request: Omit<DatasetQueryRequest, 'into'> & WithFolder): Promise<QueryCheck>;
}

export interface LongQueryDeps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly ask: AskQuery;
  readonly limits: LongQueryLimits;
}

export function createLongQueries(deps: LongQueryDeps): LongQueries {
  const { ask, objects } = deps;
  const { partBytes, fileBytes: bytes, ...limits } = deps.limits;
  const queryIn = async (directory: string, { timeoutMs, begin }: { timeoutMs: DurationMs; begin: AskQuery }) => {
    const tempDirectory = join(directory, 'spill');
    await mkdir(tempDirectory);
    const parts = createPartCache({ directory: join(directory, 'parts'), maxBytes: partBytes, objects });
    return createDatasetQuery({ ...deps, parts, limits: { ...limits, tempDirectory, timeoutMs }, ask: begin });
  };
  return {
    run: async ({ directory, timeout = limits.timeoutMs, started, into, ...request }) => {
      const begin: AskQuery = (...asked) => {
        started?.();
        return ask(...asked);
      };
      const timeoutMs = timeout < limits.timeoutMs ? timeout : limits.timeoutMs;
      const query = await queryIn(directory, { timeoutMs, begin });
      return query('file', { ...request, into: { ...into, bytes } });
    },
    check: async ({ directory, ...request }) => {
      const query = await queryIn(directory, { timeoutMs: limits.timeoutMs, begin: ask });
      return query('check', request);
    },
  };
}
