// Job rows by key, many at once: what an index that holds keys is read with.
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { JobRef, Scope } from '../../core/ids.ts';
import { StoreUnavailable } from '../../job/ports.ts';
import { type Found, foundBy } from '../../job/readable.ts';
import type { Attributes } from '../items.ts';
import { fromJobItem } from '../job-item.ts';
import { jobKey, jobOf } from '../table.ts';
import { calling } from './call.ts';
import type { Table } from './client.ts';

/** At most 100, by consistent reads, in the order of the keys; a row that is gone since is left out. */
export async function getRows(table: Table, scope: Scope, keys: readonly Pick<JobRef, 'id'>[]): Promise<Found[]> {
  const found = new Map<string, Found>();
  let left: Attributes[] = keys.map(({ id }) => ({ ...jobKey({ ...scope, id }) }));
  for (let round = 0; left.length > 0; round++) {
    if (round > 3) throw new StoreUnavailable('DynamoDB left keys of a batch unread.');
    const read = new BatchGetCommand({ RequestItems: { [table.name]: { Keys: left, ConsistentRead: true } } });
    const { Responses, UnprocessedKeys } = await calling(() => table.documents.send(read));
    for (const item of Responses?.[table.name] ?? []) {
      const ref = jobOf(String(item['pk']));
      found.set(
        ref.id,
        foundBy(ref, () => fromJobItem(item)),
      );
    }
    left = UnprocessedKeys?.[table.name]?.Keys ?? [];
  }
  return keys.map(({ id }) => found.get(id)).filter((each) => each !== undefined);
}
