// Results of queries as files: answered as bytes where they are small.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { QueryFile, ResultFormat } from '../query/types.ts';
import type { DatasetQuery, DatasetQueryRequest } from './dataset-query.ts';

export interface ResultRequest extends Omit<DatasetQueryRequest, 'into'> {
  readonly format: ResultFormat;
}

export interface ResultBytes extends QueryFile {
  readonly body: Uint8Array;
}

export interface QueryResultsDeps {
  readonly ask: DatasetQuery;
  /** Where a file stands until it is sent; a folder of its own is made in it. */
  readonly directory: string;
  /** What an answer may have, as for rows. */
  readonly inline: { readonly rows: number; readonly bytes: number };
}

export interface QueryResults {
  /** The rows in a format, whole in memory. Throws what `DatasetQuery` throws. */
  bytes(request: ResultRequest): Promise<ResultBytes>;
}

export function createQueryResults({ ask, directory, inline }: QueryResultsDeps): QueryResults {
  return {
    bytes: async ({ format, ...request }) => {
      const place = await mkdtemp(join(directory, 'result-'));
      try {
        const path = join(place, 'result');
        const rows = Math.min(request.limit ?? inline.rows, inline.rows);
        const file = await ask('file', { ...request, into: { format, path, rows, bytes: inline.bytes } });
        return { ...file, body: await readFile(path) };
      } finally {
        await rm(place, { recursive: true, force: true });
      }
    },
  };
}
