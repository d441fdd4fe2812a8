// The API keys over `Items`: the row of a key, and an entry that its workspace finds it by. Both come only while the workspace is not deleted.
import type { ApiKeys } from '../http/keys.ts';
import type { Items } from './items.ts';
import { apiKeySchema } from './records.ts';
import { apiKeyKey, keyEntryKey } from './table.ts';
import { besideTally } from './usage.ts';
import { workspaceEndOf } from './workspaces.ts';

export const createApiKeys = (items: Items): ApiKeys => ({
  putKey: async (key) => {
    const put = [
      { key: apiKeyKey(key.id), attributes: { ...key } },
      { key: keyEntryKey(key, key.id), attributes: { id: key.id } },
    ];
    const counted = await items.count(besideTally(key), { put });
    if (counted === 'barred') return 'gone';
    return counted === 'counted' ? 'created' : 'exists';
  },
  getKey: async (id) => {
    const found = await items.get(apiKeyKey(id));
    return found && apiKeySchema.parse(found);
  },
  workspaceEnd: (scope) => workspaceEndOf(items, scope),
});
