// Results of queries as files: small ones are answered as bytes, large ones put where a URL leads, for as long as it works.
import { readFile } from 'node:fs/promises';
import type { Chance } from '../core/chance.ts';
import { newId } from '../core/ids.ts';
import { type Objects, objectKey } from '../core/objects.ts';
import { type Clock, type EpochMs, hours, later } from '../core/time.ts';
import type { QueryFile, ResultFormat } from '../query/types.ts';
import type { DatasetQuery, DatasetQueryRequest } from './dataset-query.ts';
import { inFolder } from './result-folder.ts';

export interface ResultRequest extends Omit<DatasetQueryRequest, 'into'> {
  readonly format: ResultFormat;
  /** What the file of a link is called, without its ending; `result` where it is not said. */
  readonly name?: string | undefined;
  /** As HTTP names the format. */
  readonly contentType: string;
}

export interface ResultBytes extends QueryFile {
  readonly body: Uint8Array;
}

export interface ResultLink extends QueryFile {
  /** Whoever has it may GET the file. */
  readonly url: string;
  readonly expiresAt: EpochMs;
}

export interface QueryResultsDeps {
  readonly ask: DatasetQuery;
  readonly objects: Pick<Objects, 'movePassingFile' | 'presignGet'>;
  readonly clock: Clock;
  readonly chance: Chance;
  /** Where a file stands until it is sent; a folder of its own is made in it. */
  readonly directory: string;
  /** What an answer may have, as for rows. */
  readonly inline: { readonly rows: number; readonly bytes: number };
  /** Bytes of a file behind a URL. */
  readonly linkedBytes: number;
}

export interface QueryResults {
  /** The rows in a format, whole in memory. Throws what `DatasetQuery` throws. */
  bytes(request: ResultRequest): Promise<ResultBytes>;
  /** The rows as a file that a URL leads to; all of them where no limit is given. Throws what `DatasetQuery` and the objects throw. */
  link(request: ResultRequest): Promise<ResultLink>;
}

/** How long the URL of a result works; a role's own credentials, which sign it, last longer. */
export const linkedFor = hours(1);

export function createQueryResults(deps: QueryResultsDeps): QueryResults {
  const { ask, objects, clock, chance, directory, inline, linkedBytes } = deps;
  return {
    bytes: ({ format, ...request }) =>
      inFolder(directory, async (path) => {
        const rows = Math.min(request.limit ?? inline.rows, inline.rows);
        const file = await ask('file', { ...request, into: { format, path, rows, bytes: inline.bytes } });
        return { ...file, body: await readFile(path) };
      }),
    link: ({ format, contentType, name: title = 'result', ...request }) =>
      inFolder(directory, async (path) => {
        const rows = request.limit ?? Infinity;
        const file = await ask('file', { ...request, into: { format, path, rows, bytes: linkedBytes } });
        const { tenant, workspace } = request.scope;
        const name = `${title}.${format}`;
        const key = objectKey(
          tenant,
          workspace,
          'results',
          request.dataset,
          newId('res', clock.now(), chance),
          `result.${format}`,
        );
        await objects.movePassingFile(key, path);
        const expiresAt = later(clock.now(), linkedFor);
        return {
          ...file,
          expiresAt,
          url: await objects.presignGet(key, { expires: linkedFor, name, type: contentType }),
        };
      }),
  };
}
