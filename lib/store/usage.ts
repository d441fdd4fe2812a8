// What a workspace stores, as one row: bytes of its files, of its tables, and of both together, which is what the limit is about. `version`
// goes up with every change, so that a count from the rows is written only if nothing was counted meanwhile.
import * as z from 'zod';
import type { Scope } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { Catalog, Usage } from '../ingest/catalog.ts';
import type { StoredParts } from '../ingest/deletion/ports.ts';
import type { StoredBytes } from '../job/ports.ts';
import type { Items, Tally } from './items.ts';
import { usageKey } from './table.ts';

const usageSchema = z.object({
  bytes: z.int().default(0),
  fileBytes: z.int().default(0),
  tableBytes: z.int().default(0),
  version: z.int().default(0),
  countedAt: z.custom<EpochMs>((value) => typeof value === 'number').optional(),
});

/** 1 while the workspace is deleted, and for good once it is purged. */
export const CLOSED = 'closed';

const tallyOf = (scope: Scope, part: 'fileBytes' | 'tableBytes', { bytes, most }: StoredBytes): Tally => ({
  key: usageKey(scope),
  add: { bytes, [part]: bytes, version: 1 },
  most: { bytes: most },
  unless: CLOSED,
});
/** Of bytes that are stored from now on: not where the workspace is deleted. */
export const fileTally = (scope: Scope, stored: StoredBytes): Tally => tallyOf(scope, 'fileBytes', stored);
export const tableTally = (scope: Scope, stored: StoredBytes): Tally => tallyOf(scope, 'tableBytes', stored);

/** Only tests that the workspace is not deleted. */
export const openTally = (scope: Scope): Tally => ({ key: usageKey(scope), add: {}, unless: CLOSED });
/** The workspace is deleted from here on, where it was not, or not any more. */
export const closingTally = (scope: Scope): Tally => ({
  key: usageKey(scope),
  add: { [CLOSED]: 1, version: 1 },
  most: { [CLOSED]: 1 },
});
export const openingTally = (scope: Scope): Tally => ({ key: usageKey(scope), add: { [CLOSED]: -1, version: 1 } });
/** Of a row that is not counted, and comes only while the workspace is not deleted. */
export const besideTally = (scope: Scope): Tally => ({ key: usageKey(scope), add: { version: 1 }, unless: CLOSED });

/** What is not stored any more, be the workspace deleted or not. */
export const freeingTally = (scope: Scope, { fileBytes, tableBytes }: StoredParts): Tally => ({
  key: usageKey(scope),
  add: { bytes: -fileBytes - tableBytes, fileBytes: -fileBytes, tableBytes: -tableBytes, version: 1 },
});

export const createUsage = (items: Items): Pick<Catalog, 'getUsage' | 'countUsage'> => ({
  getUsage: async (scope): Promise<Usage> => usageSchema.parse((await items.get(usageKey(scope))) ?? {}),
  countUsage: async (scope, read, { fileBytes, tableBytes, at }) => {
    const key = usageKey(scope);
    const counted = { bytes: fileBytes + tableBytes, fileBytes, tableBytes, countedAt: at, version: read.version + 1 };
    if (read.version === 0)
      return (await items.putNew({ key, attributes: counted })) === 'created' ? 'counted' : 'moved';
    const changed = await items.change({ key, test: { version: read.version }, set: counted });
    return changed === 'changed' ? 'counted' : 'moved';
  },
});
