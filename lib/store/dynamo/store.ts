// The store in the cloud: everything the service keeps, in one DynamoDB table.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Documents } from '../../core/documents.ts';
import { type Clock, systemClock } from '../../core/time.ts';
import type { ApiKeys } from '../../http/keys.ts';
import type { Catalog } from '../../ingest/catalog.ts';
import type { JobStore } from '../../job/ports.ts';
import { createBeside } from '../beside.ts';
import { createApiKeys } from '../api-keys.ts';
import { createCatalog } from '../catalog.ts';
import { createDocuments } from '../documents.ts';
import { createSideReads } from '../sides.ts';
import { openTable } from './client.ts';
import { createDynamoItems } from './items.ts';
import { createDynamoJobs } from './jobs.ts';

export interface DynamoOptions {
  /** Its own retries come before the store says StoreUnavailable. */
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** Says on which day a list begins, and waits between tries. */
  readonly clock?: Clock;
}

/**
 * The store over a table that `tableSchema` (lib/store/table.ts) describes.
 *
 * @example
 * const store = createDynamoStore({ client: new DynamoDBClient({}), tableName: 'millrace' });
 */
export function createDynamoStore({
  client,
  tableName,
  clock = systemClock,
}: DynamoOptions): JobStore & Catalog & Documents & ApiKeys {
  const table = openTable(client, tableName, clock);
  const items = createDynamoItems(table);
  return {
    ...createDynamoJobs(table),
    ...createBeside(items),
    ...createSideReads(items),
    ...createCatalog(items),
    ...createDocuments(items),
    ...createApiKeys(items),
  };
}
