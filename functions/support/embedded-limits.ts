// What one query may take of the machine that the embedded process runs on.
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { minutes, seconds } from '../../lib/core/time.ts';
import type { QueryProcessOptions } from '../../lib/query/query-process.ts';
import type { QueryLimits } from '../../lib/query/types.ts';

export const embeddedQueryProcess: QueryProcessOptions = {
  entry: fileURLToPath(new URL(`../../lib/query/query-worker${extname(import.meta.url)}`, import.meta.url)),
  processMb: 1_500,
  environment: {},
  processes: 2,
};

export const embeddedQueryLimits = (tempDirectory: string): QueryLimits => ({
  memoryMb: 512,
  threads: 2,
  timeoutMs: seconds(20),
  rowCap: 10_000,
  resultBytes: 4_000_000,
  tempDirectory,
  tempMb: 2_000,
});

/** A run may take as long as in a Lambda, less the 20 s that remain there to stop it: what never ends comes to the same in both places. */
export const endOfRun = (): AbortSignal => AbortSignal.timeout(minutes(15) - seconds(20));
