// Documents over `Items`: the version is tested inside the write.
import * as z from 'zod';
import type { Documents, StoredDocument } from '../core/documents.ts';
import { toEpochSeconds } from '../core/time.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Attributes, Items } from './items.ts';
import { documentKey, documentRange } from './table.ts';

/** The body is stored as JSON text: what a document holds is no business of the store, and comes back as it was. */
const documentSchema = z.object({ name: z.string(), version: z.int(), json: z.string() });

function documentIn(attributes: Attributes): StoredDocument {
  const { name, version, json } = documentSchema.parse(attributes);
  return { name, version, body: JSON.parse(json) as unknown };
}

export const createDocuments = (items: Items): Documents => ({
  getDocument: async (ref) => {
    const found = await items.get(documentKey(ref));
    return found && documentIn(found);
  },
  putDocument: async (ref, body, after, expiresAt) => {
    const key = documentKey(ref);
    const set = {
      version: after + 1,
      json: JSON.stringify(body),
      expiresAt: expiresAt === undefined ? undefined : toEpochSeconds(expiresAt),
    };
    const put =
      after === 0
        ? await items.putNew({ key, attributes: { name: ref.name, ...set } })
        : await items.change({ key, test: { version: after }, set });
    return put === 'created' || put === 'changed' ? 'written' : 'moved';
  },
  removeDocument: async (ref, after) => {
    const removed = await items.removeWhere(documentKey(ref), { version: after });
    return removed === 'removed' ? 'removed' : 'moved';
  },
  listDocuments: async (group, { limit, cursor, prefix }) => {
    const range = documentRange(group, prefix);
    const name = cursor === undefined ? undefined : readCursor(z.string(), cursor);
    const after = name === undefined ? undefined : documentKey({ ...group, name }).sk;
    const { entries, more } = await items.page(range, { limit, after, order: 'ascending' });
    const found = entries.map(({ attributes }) => documentIn(attributes));
    const last = found.at(-1);
    return { items: found, ...(more && last !== undefined && { cursor: writeCursor(last.name) }) };
  },
});
