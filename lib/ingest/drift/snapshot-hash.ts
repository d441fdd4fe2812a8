import { createHash } from 'node:crypto';
import type { Column } from '../reading/types.ts';

/**
 * The hash of a schema: SHA-256, in lower-case hex, of the JSON text `[["<name>","<type>"],…]` in the order of the columns, without spaces, as
 * UTF-8. Two snapshots have the same one exactly when they have the same columns, types and order.
 */
export const snapshotHash = (columns: readonly Column[]): string =>
  createHash('sha256')
    .update(JSON.stringify(columns.map(({ name, type }) => [name, type])))
    .digest('hex');
