// What runs SQL inside jobs: the same locked process as for queries that a caller waits for, under limits of its own. The process is started
// with the first such job.
import { minutes } from '../../lib/core/time.ts';
import { createLongQueries, type LongQueries, type LongQueryDeps } from '../../lib/ingest/queries/long-queries.ts';
import { createQueryProcess, type QueryProcess, type QueryProcessOptions } from '../../lib/query/query-process.ts';

const MIB = 2 ** 20;

/** Of the 10 GiB of /tmp and the 2 GiB of memory that infra/pipelines.ts gives; the embedded process takes no more. */
const limits: LongQueryDeps['limits'] = {
  memoryMb: 1200,
  threads: 2,
  timeoutMs: minutes(10),
  // Of an answer in memory, which a job has none of.
  rowCap: 10_000,
  resultBytes: 4_000_000,
  tempMb: 2000,
  partBytes: 6000 * MIB,
  fileBytes: 1024 * MIB,
};

export interface LongQueryWorld extends AsyncDisposable {
  readonly longQueries: LongQueries;
}

export function openLongQueries(
  deps: Omit<LongQueryDeps, 'ask' | 'limits'>,
  process: Omit<QueryProcessOptions, 'processMb'>,
): LongQueryWorld {
  let started: QueryProcess | undefined;
  const opened = () => (started ??= createQueryProcess({ ...process, processMb: limits.memoryMb + 200 }));
  return {
    longQueries: createLongQueries({ ...deps, limits, ask: (...asked) => opened().ask(...asked) }),
    [Symbol.asyncDispose]: async () => started?.[Symbol.asyncDispose](),
  };
}
