// A process of its own that tries to claim every queued job in a file, and prints the ids that it won.
import type { OwnerToken } from '../../../lib/core/ids.ts';
import { refOf } from '../../../lib/job/row.ts';
import { createSqliteStore } from '../../../lib/store/sqlite/store.ts';
import { aClaimOf, now, scope } from './jobs.ts';

const [path = '', owner = ''] = process.argv.slice(2);
const store = createSqliteStore({ path, clock: { now: () => now, monotonic: () => 0, sleep: async () => undefined } });
const { items } = await store.list(scope, {}, { limit: 100 });
const won: string[] = [];
for (const row of items.filter(({ status }) => status === 'queued')) {
  const answer = await store.write(refOf(row), 'claim', { ...aClaimOf(row), owner: owner as OwnerToken });
  if (answer.kind === 'applied') won.push(row.id);
}
store.close();
console.log(JSON.stringify(won));
