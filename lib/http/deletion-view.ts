// What callers see of a deletion: of a table or a dataset that can be restored.
import * as z from 'zod';
import { toIso } from '../core/time.ts';
import type { Deletion } from '../ingest/deletion/ports.ts';
import { isoTime } from './schemas.ts';

export const deletionFields = {
  deletedAt: isoTime,
  restorableUntil: isoTime.meta({ description: 'Then it is purged.' }),
};
export const deletionView = ({ at, until }: Deletion) => ({ deletedAt: toIso(at), restorableUntil: toIso(until) });

/** In lists that show what is deleted where it is asked for. */
export const deletedQuery = {
  deleted: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: '`true`: those that are deleted and can be restored, or are being purged.' }),
};
export const optionalDeletionFields = {
  deletedAt: isoTime.optional(),
  restorableUntil: isoTime.optional().meta({ description: 'Then it is purged.' }),
};
