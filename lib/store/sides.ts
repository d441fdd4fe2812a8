// Reading side rows, the same in both stores: over `Items`.
import * as z from 'zod';
import type { JobStore } from '../job/ports.ts';
import { must } from '../core/check.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Items } from './items.ts';
import { sideKey, sideOf, sideRange } from './table.ts';

export const createSideReads = (items: Items): Pick<JobStore, 'getSide' | 'listSides'> => ({
  getSide: (side) => items.get(sideKey(side)),
  listSides: async (group, { limit, cursor, prefix }) => {
    const after = cursor === undefined ? undefined : sideKey({ ...group, name: readCursor(z.string(), cursor) }).sk;
    const { entries, more } = await items.page(sideRange(group, prefix), { limit, after, order: 'ascending' });
    const sides = entries.map(({ key, attributes }) => ({
      name: must(sideOf(key), 'a side row').name,
      row: attributes,
    }));
    const last = sides.at(-1);
    return { items: sides, ...(more && last !== undefined && { cursor: writeCursor(last.name) }) };
  },
});
