// A rule applied to a job's row in the embedded store: `decide` on the row found, the row it answers, and the change for the outbox.
import type { JobRef } from '../../core/ids.ts';
import type { Written } from '../../job/ports.ts';
import type { JobRow } from '../../job/row.ts';
import { decide } from '../../rule/decide.ts';
import type { Row, RuleWrite } from '../../rule/rule.ts';
import { jobKey } from '../table.ts';
import type { Database } from './database.ts';
import { readJob, saveJob } from './rows.ts';

/** Applies a rule to the row found; the caller holds the transaction. `created` is the row that a creating rule starts from. */
export function applyRule(db: Database, ref: JobRef, write: RuleWrite, created?: Row): Written {
  const found = readJob(db, jobKey(ref));
  const decision = decide(write, found, created);
  if (decision.kind === 'refused') return { kind: 'refused', found };
  const row = saveJob(db, decision.row);
  if (write.rule.quiet !== true) recordChange(db, found, row);
  return { kind: 'applied', row };
}

export function recordChange(db: Database, before: JobRow | undefined, after: JobRow): void {
  const image = before === undefined ? null : JSON.stringify(before);
  db.sql('INSERT INTO changes (before, after) VALUES (?, ?)').run(image, JSON.stringify(after));
}
