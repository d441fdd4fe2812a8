// What the store in memory holds, and how its rows are found.
import { DUE_SHARDS, type JobEvent } from '../../job/ports.ts';
import type { JobRef } from '../../core/ids.ts';
import type { Clock } from '../../core/time.ts';
import type { JobRow } from '../../job/row.ts';
import type { JobRuleName } from '../../job/rules.ts';
import type { SideRef } from '../../job/side/side.ts';
import type { SideRuleName } from '../../job/side/side-rules.ts';
import type { Row, Rule, RuleWrite } from '../../rule/rule.ts';

/** One applied write. */
export interface MemoryChange {
  readonly before: JobRow | undefined;
  readonly after: JobRow;
  readonly write: RuleWrite;
}

/** One applied write of a side rule; `after` is absent where it deletes. */
export interface SideChange {
  readonly side: SideRef;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  readonly write: RuleWrite;
}

export interface MemoryStoreOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Another table, for tests that break one. */
  readonly rules?: Readonly<Record<JobRuleName, Rule>> | undefined;
  readonly sideRules?: Readonly<Record<SideRuleName, Rule>> | undefined;
  /** Told of each applied write, before it is answered. */
  readonly applied?: ((change: MemoryChange) => void) | undefined;
  /** Told of each applied write of a side row that changes it. */
  readonly sideApplied?: ((change: SideChange) => void) | undefined;
  /** How a written row is read back; the schema by default. */
  readonly parse?: ((row: unknown) => JobRow) | undefined;
}

export interface State {
  readonly parse: (row: unknown) => JobRow;
  readonly options: MemoryStoreOptions;
  readonly rows: Map<string, JobRow>;
  readonly changes: MemoryChange[];
  readonly payloads: Map<string, string>;
  readonly events: Map<string, JobEvent>;
  /** The sequence that each table's pointer stands at. */
  readonly pointers: Map<string, number>;
  readonly sides: Map<string, { readonly side: SideRef; readonly row: Row }>;
}

export const keyOf = ({ tenant, workspace, id }: Pick<JobRef, 'tenant' | 'workspace' | 'id'>): string =>
  `${tenant}/${workspace}/${id}`;

export const sideKeyOf = ({ tenant, workspace, family, group, name }: SideRef): string =>
  JSON.stringify([tenant, workspace, family, group, name]);

export function shardOf(name: string): number {
  let sum = 0;
  for (let place = 0; place < name.length; place++) sum = (sum * 31 + name.charCodeAt(place)) % 65_521;
  return sum % DUE_SHARDS;
}
