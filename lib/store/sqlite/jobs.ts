// The job rows of the embedded store.
import * as z from 'zod';
import type { Clock, EpochMs } from '../../core/time.ts';
import type { DuePage, JobStore } from '../../job/ports.ts';
import { jobRules } from '../../job/rules.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { jobKey, jobOf, sideOf } from '../table.ts';
import { applyRule } from './apply.ts';
import type { Database } from './database.ts';
import { listJobs } from './list.ts';
import { publishAll } from './publish.ts';
import { deadJobs, parkedFor } from './sparse.ts';
import { transactAll, writeSide } from './transact.ts';
import { readJob } from './rows.ts';

const DUE_PAGE = 100;
const duePositionSchema = z.tuple([z.number(), z.string(), z.string()]);
const keySchema = z.object({
  pk: z.string(),
  sk: z.string(),
  dueAt: z.custom<EpochMs>((at) => typeof at === 'number'),
});

function duePage(db: Database, clock: Clock, shard: number, before: EpochMs, after?: string): DuePage {
  const [dueAt, pk, sk] = after === undefined ? [0, '', ''] : readCursor(duePositionSchema, after);
  const found = db.read(() =>
    db
      .sql(
        `SELECT pk, sk, dueAt FROM items
         WHERE dueAt IS NOT NULL AND dueShard = ? AND dueAt <= ? AND (dueAt, pk, sk) > (?, ?, ?)
         ORDER BY dueAt, pk, sk LIMIT ?`,
      )
      .all(shard, before, dueAt, pk, sk, DUE_PAGE + 1)
      .map((row) => keySchema.parse(row)),
  );
  const page = found.slice(0, DUE_PAGE);
  const last = page.at(-1);
  const named = page.map((key) => ({ ...key, side: sideOf(key) }));
  return {
    entries: named.flatMap((row) => (row.side === undefined ? [{ ref: jobOf(row.pk), dueAt: row.dueAt }] : [])),
    sides: named.flatMap(({ side, dueAt: at }) => (side === undefined ? [] : [{ side, dueAt: at }])),
    storeNow: clock.now(),
    ...(found.length > DUE_PAGE && last !== undefined && { after: writeCursor([last.dueAt, last.pk, last.sk]) }),
  };
}

type JobRows = Pick<
  JobStore,
  'submit' | 'write' | 'publish' | 'transact' | 'writeSide' | 'get' | 'due' | 'list' | 'parkedFor' | 'deadJobs'
>;

export const createSqliteJobs = (db: Database, clock: Clock): JobRows => ({
  submit: async (row, params) =>
    db.immediate(() => applyRule(db, row, { name: 'submit', rule: jobRules.submit, params }, row)),
  write: async (ref, rule, params) =>
    db.immediate(() => applyRule(db, ref, { name: rule, rule: jobRules[rule], params })),
  publish: (ref, params, ...published) =>
    publishAll(db, ref, { name: 'succeed', rule: jobRules.succeed, params }, ...published),
  transact: async (writes) => db.immediate(() => transactAll(db, writes)),
  writeSide: async (side, rule, params) => db.immediate(() => writeSide(db, { side, rule, params })),
  parkedFor: async (scope, reason, page) => parkedFor(db, scope, reason, page),
  deadJobs: async (scope, page) => deadJobs(db, scope, page),
  get: async (ref) => db.read(() => readJob(db, jobKey(ref))),
  due: async (shard, before, after) => duePage(db, clock, shard, before, after),
  list: async (scope, filter, page) => listJobs(db, scope, filter, page),
});
