// Rows beside the jobs: one flat row a thing, found by family, group and name, changed by the side rules alone. Each feature has a
// family of its own and parses its rows by its own schema.
import type { JobId, Scope, WriteId } from '../../core/ids.ts';
import type { EpochMs, EpochSeconds } from '../../core/time.ts';
import type { ParamsOf } from '../../rule/params.ts';
import type { Row } from '../../rule/rule.ts';
import type { SideRuleName, SideRules } from './side-rules.ts';

/**
 * What side rows are for; a family is part of the key. `slot`: counters and holders of a key; `rate`: token buckets; `flow`, `guard`,
 * `dedup`, `schedule`: by name; `signal`, `children`: of one job; `dead`: groups of failures; `stat`: counts; `health`: backlogs; `workspace`: those that are gone;
 * `place`: of who waits.
 */
export type SideFamily =
  | 'slot'
  | 'rate'
  | 'flow'
  | 'guard'
  | 'dedup'
  | 'schedule'
  | 'signal'
  | 'children'
  | 'dead'
  | 'stat'
  | 'health'
  | 'workspace'
  | 'place';

/** Rows of a group share a partition and are listed by name, in the order of its bytes. */
export interface SideGroup extends Scope {
  readonly family: SideFamily;
  readonly group: string;
}
export interface SideRef extends SideGroup {
  readonly name: string;
}

/** Families whose rows may carry `dueAt` (epoch ms) and then stand in the due index. */
export const dueFamilies: ReadonlySet<SideFamily> = new Set<SideFamily>(['schedule']);

/** The type of each parameter that the side rules name. */
export interface SideParamTypes {
  /** Attributes to set; `expiresAt` (epoch seconds) lets the store forget the row, `dueAt` see `dueFamilies`. */
  fields: Row;
  now: EpochMs;
  expiresAt: EpochSeconds;
  dueAt: EpochMs;
  limit: number;
  by: number;
  /** Who looked last. */
  looker: WriteId;
  /** When the last look must have been for another to be worth while. */
  before: EpochMs;
  /** Where a look over many rows goes on. */
  cursor: string;
  /** How often a rate's bucket had been moved when it was read; 0 where there was none. */
  moves: number;
  /** When a flow or a guard was changed last, as it was read; 0 where never. */
  sinceRead: EpochMs;
  grantedRead: number;
  /** Names one step that was asked for. */
  stepId: WriteId;
  /** Of a flow. */
  state: 'active' | 'paused' | 'disabled';
  reason: string;
  /** Of a guard. */
  value: string;
  /** By attribute. */
  counters: Readonly<Record<string, number>>;
  /** Of the row as it was read; `change` raises it. */
  serial: number;
  serialRead: number;
  /** Of a schedule: when it runs next, and how many ticks were sent for that. */
  nextAt: EpochMs;
  ticks: number;
  /** Of a dedup key. */
  holder: JobId;
  holderRead: JobId;
  /** Of a place, and until when it is taken. */
  taker: WriteId;
  until: EpochMs;
  /** How often the job was redriven. */
  life: number;
}
export type SideParams<N extends SideRuleName> = ParamsOf<SideRules[N], SideParamTypes>;

/** `row` is the side row after the write (as before it where the rule deletes); `found` the one that refused. */
export type SideWritten =
  | { readonly kind: 'applied'; readonly row: Row }
  | { readonly kind: 'refused'; readonly found: Row | undefined };

export interface NamedSide {
  readonly name: string;
  readonly row: Row;
}
