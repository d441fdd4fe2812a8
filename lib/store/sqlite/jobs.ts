// The job rows of the embedded store.
import * as z from 'zod';
import { type Clock, type EpochMs, epochMs } from '../../core/time.ts';
import type { DueEntry, DuePage, JobStore } from '../../job/ports.ts';
import { jobRules } from '../../job/rules.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { jobKey, jobOf } from '../table.ts';
import { applyRule } from './apply.ts';
import type { Database } from './database.ts';
import { listJobs } from './list.ts';
import { publishAll } from './publish.ts';
import { readJob } from './rows.ts';

const DUE_PAGE = 100;
const duePositionSchema = z.tuple([z.number(), z.string()]);

function duePage(db: Database, clock: Clock, shard: number, before: EpochMs, after?: string): DuePage {
  const [dueAt, pk] = after === undefined ? [0, ''] : readCursor(duePositionSchema, after);
  const found = db.read(() =>
    db
      .sql(
        `SELECT pk, dueAt FROM items WHERE dueAt IS NOT NULL AND dueShard = ? AND dueAt <= ? AND (dueAt, pk) > (?, ?)
         ORDER BY dueAt, pk LIMIT ?`,
      )
      .all(shard, before, dueAt, pk, DUE_PAGE + 1)
      .map((row) => ({ pk: z.string().parse(row['pk']), dueAt: epochMs(z.number().parse(row['dueAt'])) })),
  );
  const page = found.slice(0, DUE_PAGE);
  const last = page.at(-1);
  return {
    entries: page.map((row): DueEntry => ({ ref: jobOf(row.pk), dueAt: row.dueAt })),
    storeNow: clock.now(),
    ...(found.length > DUE_PAGE && last !== undefined && { after: writeCursor([last.dueAt, last.pk]) }),
  };
}

type JobRows = Pick<JobStore, 'submit' | 'write' | 'publish' | 'get' | 'due' | 'list'>;

export const createSqliteJobs = (db: Database, clock: Clock): JobRows => ({
  submit: async (row, params) =>
    db.immediate(() => applyRule(db, row, { name: 'submit', rule: jobRules.submit, params }, row)),
  write: async (ref, rule, params) =>
    db.immediate(() => applyRule(db, ref, { name: rule, rule: jobRules[rule], params })),
  publish: (ref, params, publications, resultFor) =>
    publishAll(db, ref, { name: 'succeed', rule: jobRules.succeed, params }, publications, resultFor),
  get: async (ref) => db.read(() => readJob(db, jobKey(ref))),
  due: async (shard, before, after) => duePage(db, clock, shard, before, after),
  list: async (scope, filter, page) => listJobs(db, scope, filter, page),
});
