// Transactions and side rows of the embedded store: every write is decided on the rows found, then all are saved, or none.
import type { Transacted, TransactWrite } from '../../job/ports.ts';
import { dueFamilies, type SideRef, type SideWritten } from '../../job/side/side.ts';
import type { JobRow } from '../../job/row.ts';
import { type Decision, decide } from '../../rule/decide.ts';
import type { Row } from '../../rule/rule.ts';
import { type Keyed, keyedWrites, sideWrite } from '../transaction.ts';
import { dueShardOf, JOB_SORT_KEY, type Key, sideKey, sideOf } from '../table.ts';
import { recordChange } from './apply.ts';
import type { Database } from './database.ts';
import { readJob, readRow, saveJob, saveRow } from './rows.ts';

/** The caller holds the transaction. */
export function transactAll(db: Database, writes: readonly TransactWrite[]): Transacted {
  const decided = keyedWrites(writes).map((keyed) => ({ keyed, ...decideOn(db, keyed) }));
  const refusals = decided.map(({ found, decision }) => (decision.kind === 'refused' ? { found } : undefined));
  if (refusals.some((refusal) => refusal !== undefined)) return { kind: 'refused', refusals };
  for (const { keyed, found, decision } of decided)
    if (decision.kind === 'applied') save(db, keyed, found, decision.row);
  return { kind: 'applied' };
}

/** The caller holds the transaction. */
export function writeSide(db: Database, write: Extract<TransactWrite, { side: unknown }>): SideWritten {
  const key = sideKey(write.side);
  const found = readRow(db, key);
  const asRule = sideWrite(write);
  const decision = decide(asRule, found, found ?? {});
  if (decision.kind === 'refused') return { kind: 'refused', found };
  if (asRule.rule.deletes === true) remove(db, key);
  else saveSide(db, write.side, decision.row);
  return { kind: 'applied', row: withoutShard(decision.row) };
}

const isJob = ({ sk }: Key): boolean => sk === JOB_SORT_KEY;

function decideOn(db: Database, { key, write, created }: Keyed): { found: Row | undefined; decision: Decision } {
  const found = isJob(key) ? readJob(db, key) : readRow(db, key);
  return { found, decision: decide(write, found, created ?? found ?? {}) };
}

function save(db: Database, { key, does, write }: Keyed, found: Row | undefined, next: Row): void {
  if (does === 'check') return;
  if (does === 'delete') return remove(db, key);
  const side = sideOf(key);
  if (side !== undefined) return saveSide(db, side, next);
  const row = saveJob(db, next);
  if (write.rule.quiet !== true) recordChange(db, found as JobRow | undefined, row);
}

const withoutShard = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name, value]) => name !== 'dueShard' && value !== undefined));

function saveSide(db: Database, side: SideRef, next: Row): void {
  const row = withoutShard(next);
  const dueAt = dueFamilies.has(side.family) && typeof row['dueAt'] === 'number' ? row['dueAt'] : undefined;
  saveRow(db, sideKey(side), row, dueAt === undefined ? {} : { dueAt, dueShard: dueShardOf(side.name) });
}

const remove = (db: Database, { pk, sk }: Key): void =>
  void db.sql('DELETE FROM items WHERE pk = ? AND sk = ?').run(pk, sk);
