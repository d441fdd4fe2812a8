// What the HTTP app is given: ports and settings. Nothing here is made by the app, so that each place composes its own world.
import type { Documents } from '../core/documents.ts';
import type { DurationMs } from '../core/time.ts';
import type { Catalog } from '../ingest/catalog.ts';
import type { DatasetQuery } from '../ingest/dataset-query.ts';
import type { Search } from '../ingest/search/search.ts';
import type { QueryPages } from '../ingest/query-pages.ts';
import type { QueryResults } from '../ingest/query-results.ts';
import type { Preview } from '../ingest/preview.ts';
import type { TableData } from '../ingest/table-data.ts';
import type { Engine } from '../job/engine.ts';
import type { ApiKeys } from './keys.ts';
import type { WatchParts } from './places.ts';

/** What submitting, reading and cancelling jobs needs of the engine; an `Engine` is one. */
export type JobParts = Pick<
  Engine,
  'store' | 'ringer' | 'objects' | 'registry' | 'clock' | 'chance' | 'settings' | 'log'
>;

export interface HttpLimits {
  /** The largest file that is taken directly, bytes. */
  readonly directUpload: number;
  /** Bytes that a workspace may store; no limit where left out. */
  readonly workspaceBytes?: number | undefined;
  /** The largest JSON body, bytes. */
  readonly jsonBody: number;
  /** The longest wait that `Prefer: wait` gets. */
  readonly wait: DurationMs;
}

export interface HttpDeps extends JobParts {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly keys: ApiKeys;
  /** Answers SQL on a dataset's published tables, or throws a Fault; absent where another function serves the route. */
  readonly query?: DatasetQuery | undefined;
  /** The same with the rows in other formats; there where `query` is. */
  readonly results?: QueryResults | undefined;
  /** The same in pages; there where `query` is. */
  readonly pages?: QueryPages | undefined;
  /** Whole tables as files; there where `query` is. */
  readonly tableData?: TableData | undefined;
  /** Finds tables and columns; there where `query` is. */
  readonly search?: Search | undefined;
  /** What files would become; there where `query` is. */
  readonly preview?: Preview | undefined;
  /** For the routes whose callers wait; absent where another function serves them. */
  readonly watch?: WatchParts | undefined;
  /** Signs cursors; at least 32 random bytes in base64 or hex, the same on every instance. */
  readonly cursorSecret: () => Promise<string>;
  /** `httpLimits` unless a test wants smaller ones. */
  readonly limits: HttpLimits;
  /** The document at docs/openapi.json, as text; `/v1/openapi.json` serves it. */
  readonly openApiDocument: () => Promise<string>;
}

/** The query function needs no more than this. */
export type QueryDeps = Pick<
  HttpDeps,
  | keyof JobParts
  | 'catalog'
  | 'documents'
  | 'keys'
  | 'query'
  | 'results'
  | 'pages'
  | 'tableData'
  | 'preview'
  | 'search'
  | 'limits'
>;

/** What the watch function needs. */
export type WatchDeps = Pick<
  HttpDeps,
  'store' | 'objects' | 'keys' | 'watch' | 'cursorSecret' | 'clock' | 'chance' | 'settings' | 'log' | 'limits'
>;
