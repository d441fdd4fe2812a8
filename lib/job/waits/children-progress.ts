// How far a job is that waits for its children: its own row knows how far it was when it began to wait.
import type { Engine } from '../engine.ts';
import { type JobRow, type Progress, refOf } from '../row.ts';
import { isTerminal } from '../status.ts';
import { CHILDREN, type ChildRow, listChildren } from './children.ts';

/** Children that are under way and are read, at most; of others it only counts whether they have ended. */
const MOST_READ = 32;

/**
 * Of a job that waits for its children: how many of them there are, and how many have ended, one under way counting by what it says of
 * itself. Undefined for any other job. Reads the rows of the children.
 */
export async function progressOfChildren(stores: Pick<Engine, 'store'>, row: JobRow): Promise<Progress | undefined> {
  if (row.status !== 'parked' || row.parked !== CHILDREN) return undefined;
  const own = (await listChildren(stores, refOf(row))).filter(({ life }) => life === (row.redrives ?? 0));
  const open = own.filter(({ status }) => status === undefined);
  const shares = await Promise.all(open.slice(0, MOST_READ).map((child) => shareOf(stores, row, child)));
  const done = own.length - open.length + shares.reduce((sum, share) => sum + share, 0);
  return { done: Math.floor(done * 100) / 100, total: own.length, note: CHILDREN };
}

/** Of 1. */
async function shareOf({ store }: Pick<Engine, 'store'>, parent: JobRow, { id }: ChildRow): Promise<number> {
  const row = await store.get({ ...refOf(parent), id });
  if (row !== undefined && isTerminal(row.status)) return 1;
  const { done = 0, total = 0 } = row?.progress ?? {};
  return total > 0 ? Math.min(1, done / total) : 0;
}
