// Counting in the embedded store, inside a transaction of the caller.
import type { Tally } from '../items.ts';
import type { Database } from './database.ts';
import { readRow, saveRow } from './rows.ts';

export function addTally(db: Database, { key, add, most = {}, unless }: Tally): 'counted' | 'full' | 'barred' {
  const row = readRow(db, key) ?? {};
  if (unless !== undefined && Number(row[unless] ?? 0) > 0) return 'barred';
  const raised = Object.fromEntries(Object.entries(add).map(([name, by]) => [name, Number(row[name] ?? 0) + by]));
  const isOver = ([name, by]: [string, number]) => by > 0 && (raised[name] ?? 0) > (most[name] ?? Infinity);
  if (Object.entries(add).some(isOver)) return 'full';
  if (Object.keys(add).length > 0) saveRow(db, key, { ...row, ...raised });
  return 'counted';
}
