// What one statement may take of the query function. The disk is shared by the parts that are kept, what a statement spills, and its result.
import type { Environment } from '../../lib/config/environment.ts';
import { seconds } from '../../lib/core/time.ts';
import type { QueryLimits } from '../../lib/query/types.ts';

const MIB = 1024 ** 2;

/** Of the 4 GiB of /tmp that infra/api.ts gives. */
export const queryDisk = { parts: 2300 * MIB, spillMb: 1000, result: 256 * MIB } as const;

export const queryLimits = (
  { DUCKDB_MEMORY_MB }: Pick<Environment<'query'>, 'DUCKDB_MEMORY_MB'>,
  tempDirectory: string,
): QueryLimits => ({
  memoryMb: DUCKDB_MEMORY_MB,
  threads: 2,
  // The gateway answers for us after 30 s; fetching the parts needs some of them.
  timeoutMs: seconds(20),
  rowCap: 10_000,
  // Lambda's answer holds 6 MB, and JSON text within JSON grows.
  resultBytes: 4_000_000,
  tempDirectory,
  tempMb: queryDisk.spillMb,
});
