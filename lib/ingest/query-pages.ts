// A large result in pages: its rows are written once, as lines of one object, and each page is read where the one before ended. So
// the order is the same on every page, whatever the query, and a page costs nothing of DuckDB.
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Chance } from '../core/chance.ts';
import { Fault } from '../core/fault.ts';
import { type DatasetId, isId, newId, type ResultId, type Scope, timeOfId } from '../core/ids.ts';
import { type Objects, objectKey } from '../core/objects.ts';
import { type Clock, type EpochMs, hours, later } from '../core/time.ts';
import type { QueryColumn } from '../query/types.ts';
import type { DatasetQuery, DatasetQueryRequest } from './dataset-query.ts';
import { type LinesRead, readLines } from './read-lines.ts';
import { inFolder } from './result-folder.ts';

export interface QueryPage {
  readonly columns: readonly QueryColumn[];
  readonly rows: readonly (readonly unknown[])[];
  /** Rows of this page. */
  readonly rowCount: number;
  /** Rows of the whole result. */
  readonly totalRows: number;
  readonly nextCursor: string | null;
  /** Until when the cursors work. */
  readonly expiresAt: EpochMs;
}

export interface PageRequest {
  readonly scope: Scope;
  readonly dataset: DatasetId;
  readonly cursor: string;
  readonly limit: number;
}

export interface QueryPagesDeps {
  readonly ask: DatasetQuery;
  readonly objects: Pick<Objects, 'movePassingFile' | 'read'>;
  readonly clock: Clock;
  readonly chance: Chance;
  /** Where the rows stand until they are sent. */
  readonly directory: string;
  /** Bytes of one page, and of all rows. */
  readonly pageBytes: number;
  readonly resultBytes: number;
}

export interface QueryPages {
  /** Runs the query and answers the first `limit` rows. Throws what `DatasetQuery` and the objects throw. */
  start(request: DatasetQueryRequest & { readonly limit: number }): Promise<QueryPage>;
  /** Throws VALIDATION_FAILED for what is no cursor of this dataset, NOT_FOUND when its time is over. */
  next(request: PageRequest): Promise<QueryPage>;
}

/** Where a page begins. It needs no signature: it names rows of the caller's own workspace, and only whole ones. */
interface Place {
  readonly id: ResultId;
  /** The byte at which the first row begins. */
  readonly at: number;
  readonly total: number;
}

const keptFor = hours(1);

export function createQueryPages(deps: QueryPagesDeps): QueryPages {
  const { ask, objects, clock, chance, directory, pageBytes, resultBytes } = deps;
  const pageOf = (columns: readonly QueryColumn[], { id, total }: Place, read: LinesRead): QueryPage => ({
    columns,
    rows: read.lines.map((line) => JSON.parse(line) as unknown[]),
    rowCount: read.lines.length,
    totalRows: total,
    nextCursor: read.next === undefined ? null : sealed({ id, at: read.next, total }),
    expiresAt: later(timeOfId(id) ?? clock.now(), keptFor),
  });
  return {
    start: ({ limit, ...request }) =>
      inFolder(directory, async (path) => {
        const into = { format: 'rows', path, rows: Infinity, bytes: resultBytes } as const;
        const { rowCount: total } = await ask('file', { ...request, into });
        const id = newId('res', clock.now(), chance);
        const head = await headOf(createReadStream(path));
        const place = { id, at: head.bytes, total };
        const lines = await readLines(createReadStream(path, { start: head.bytes - 1 }), place.at, limit, pageBytes);
        if (lines.next !== undefined) await objects.movePassingFile(keyOf(request, id), path);
        return pageOf(head.columns, place, lines);
      }),
    next: async ({ cursor, limit, ...owner }) => {
      const place = opened(cursor);
      const made = timeOfId(place.id);
      if (made === undefined || later(made, keptFor) <= clock.now()) throw gone();
      const { columns, read } = await rowsAt(objects, keyOf(owner, place.id), {
        at: place.at,
        limit,
        bytes: pageBytes,
      });
      return pageOf(columns, place, read);
    },
  };
}

const keyOf = ({ scope, dataset }: Pick<PageRequest, 'scope' | 'dataset'>, id: ResultId): string =>
  objectKey(scope.tenant, scope.workspace, 'results', dataset, id, 'rows');

async function there(objects: Pick<Objects, 'read'>, key: string, start: number): Promise<Readable> {
  const body = await objects.read(key, start);
  if (body === undefined) throw gone();
  return body;
}

/**
 * The rows of an object of lines from a byte on, or from the first. Throws NOT_FOUND where the object is gone, VALIDATION_FAILED where no
 * row begins at the byte.
 */
export async function rowsAt(
  objects: Pick<Objects, 'read'>,
  key: string,
  { at, limit, bytes: most }: { readonly at?: number | undefined; readonly limit: number; readonly bytes: number },
): Promise<{ readonly columns: readonly QueryColumn[]; readonly read: LinesRead }> {
  const { columns, bytes } = await headOf(await there(objects, key, 0));
  const from = at ?? bytes;
  if (from < bytes) throw noCursor();
  return { columns, read: await readLines(await there(objects, key, from - 1), from, limit, most) };
}

/** The first line: what the columns are, and how many bytes say so. */
async function headOf(body: Readable): Promise<{ columns: readonly QueryColumn[]; bytes: number }> {
  const { lines } = await readLines(body, 0, 1, Infinity);
  const line = lines[0] ?? '';
  return { columns: JSON.parse(line) as QueryColumn[], bytes: Buffer.byteLength(line) + 1 };
}

const sealed = ({ id, at, total }: Place): string => Buffer.from(`${id}.${at}.${total}`).toString('base64url');

function opened(cursor: string): Place {
  const [id = '', at = '', total = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split('.');
  const counts = [at, total].every((text) => /^\d{1,15}$/.test(text));
  if (!isId('res', id) || !counts || rest.length > 0) throw noCursor();
  return { id, at: Number(at), total: Number(total) };
}

const noCursor = (): Fault => {
  const error = { pointer: '#/query/cursor', detail: 'It is not a cursor of this dataset.' };
  return new Fault('VALIDATION_FAILED', 'The cursor is not one that a query gave.', { errors: [error] });
};

const gone = (): Fault => new Fault('NOT_FOUND', 'The result is no longer kept: run the query again.');
