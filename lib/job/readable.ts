// Rows that cannot be read, apart from those that can: one of them must not hide the others.
import { Fault } from '../core/fault.ts';
import type { JobRef } from '../core/ids.ts';
import type { JobStore, UnreadableRow } from './ports.ts';
import type { JobRow } from './row.ts';

export type Found = { readonly row: JobRow | undefined } | { readonly unreadable: UnreadableRow };

/** What reading a row came to; what it throws besides Fault ROW_UNREADABLE is thrown. */
export function foundBy({ id }: Pick<JobRef, 'id'>, read: () => JobRow): Found {
  try {
    return { row: read() };
  } catch (thrown) {
    return { unreadable: unreadableOf({ id }, thrown) };
  }
}

function unreadableOf({ id }: Pick<JobRef, 'id'>, thrown: unknown): UnreadableRow {
  if (thrown instanceof Fault && thrown.code === 'ROW_UNREADABLE') return { id, detail: thrown.detail };
  throw thrown;
}

export interface Sorted {
  /** In the order in which they were found; those that are gone are left out. */
  readonly rows: JobRow[];
  readonly unreadable: UnreadableRow[];
}

export const sortFound = (found: readonly Found[]): Sorted => ({
  rows: found.flatMap((each) => ('row' in each && each.row !== undefined ? [each.row] : [])),
  unreadable: found.flatMap((each) => ('unreadable' in each ? [each.unreadable] : [])),
});

/** Reads each of the rows. Throws StoreUnavailable. */
export async function readEach(store: Pick<JobStore, 'get'>, refs: readonly JobRef[]): Promise<Sorted> {
  const read = async (ref: JobRef): Promise<Found> => {
    try {
      return { row: await store.get(ref) };
    } catch (thrown) {
      return { unreadable: unreadableOf(ref, thrown) };
    }
  };
  return sortFound(await Promise.all(refs.map(read)));
}
