// What the engine needs of the world. Adapters in lib/store and lib/queue implement these; nothing here knows AWS.
import type { DatasetId, Epoch, JobRef, OwnerToken, Scope, SnapshotId, TableId, WriteId } from '../core/ids.ts';
import type { DurationMs, EpochMs, EpochSeconds } from '../core/time.ts';
import type { ParamsOf } from '../rule/params.ts';
import type { Guard, Row, RuleWrite } from '../rule/rule.ts';
import type { HeldBy, JobError, JobRow, Lane, PayloadRef, Progress } from './row.ts';
import type { JobRuleName, JobRules } from './rules.ts';
import type { NamedSide, SideGroup, SideParams, SideRef, SideWritten } from './side/side.ts';
import type { SideRuleName } from './side/side-rules.ts';
import type { JobStatus } from './status.ts';

/** The type of each parameter that the rule table names. */
export interface ParamTypes {
  writeId: WriteId;
  submitId: WriteId;
  epoch: Epoch;
  owner: OwnerToken;
  goneEpoch: Epoch;
  goneOwner: OwnerToken;
  now: EpochMs;
  nowSeconds: EpochSeconds;
  lapsedBy: EpochMs;
  leaseUntil: EpochMs;
  heldBy: HeldBy;
  dueAt: EpochMs;
  dueAtRead: EpochMs;
  notBefore: EpochMs;
  expiresAt: EpochSeconds;
  version: number;
  previousNo: number;
  cursorNo: number;
  cursor: string;
  stage: string;
  stageOutput: string;
  progress: Progress;
  result: PayloadRef;
  input: PayloadRef;
  warnings: number;
  error: JobError;
  owes: string;
  parked: string;
  parkedUntil: EpochMs;
  awaits: number;
  hold: string;
  deadline: EpochMs;
  /** The claim is part of a transaction that tests every gate of the row. */
  gates: true;
  cancelReason: string;
}
export type RuleParams<N extends JobRuleName> = ParamsOf<JobRules[N], ParamTypes>;

/** What a conditional write answered. `found` is the row that refused it, absent when there is none. */
export type Written =
  | { readonly kind: 'applied'; readonly row: JobRow }
  | { readonly kind: 'refused'; readonly found: JobRow | undefined };

/** A row without what the submit rule itself sets. */
export type NewJobRow = Omit<JobRow, 'status' | 'rule' | 'writeId' | 'submitId' | 'epoch' | 'dueAt'>;

export interface DueEntry {
  readonly ref: JobRef;
  readonly dueAt: EpochMs;
}
export interface DueSide {
  readonly side: SideRef;
  readonly dueAt: EpochMs;
}
export interface DuePage {
  /** Oldest first. */
  readonly entries: readonly DueEntry[];
  /** Side rows that are due; oldest first. */
  readonly sides: readonly DueSide[];
  /** Present when there are more; pass it as `after`. */
  readonly after?: string;
  /** The store's own clock when it answered: the sweep's "now". */
  readonly storeNow: EpochMs;
}

export interface JobFilter {
  readonly status?: JobStatus | undefined;
  readonly kind?: string | undefined;
  readonly flow?: string | undefined;
  readonly parentId?: JobRef['id'] | undefined;
  /** At least so many failed attempts. */
  readonly attemptsGte?: number | undefined;
  /** Created then or later. */
  readonly since?: EpochMs | undefined;
  /** Created before then. */
  readonly until?: EpochMs | undefined;
}
/** A row that this release cannot read: it is corrupted, or of a later format. Others stand beside it as if it were not there. */
export interface UnreadableRow {
  readonly id: JobRef['id'];
  /** Why, in a sentence. */
  readonly detail: string;
}
export interface Page<T> {
  readonly items: readonly T[];
  /** Job rows among the page's that cannot be read; whether a filter would let them through, nobody knows. Present where there are any. */
  readonly unreadable?: readonly UnreadableRow[];
  /** Opaque; present when there may be more. */
  readonly cursor?: string;
}
export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** One applied rule of a job, kept for its timeline. */
export interface JobEvent extends Scope {
  readonly jobId: JobRef['id'];
  /** `createdAt` of the job's present life. */
  readonly createdAt: EpochMs;
  readonly version: number;
  readonly rule: string;
  readonly status: JobStatus;
  readonly epoch: Epoch;
  /** When the relay read the change, epoch ms. */
  readonly at: EpochMs;
  /** When the rule was applied, by the clock of whoever wrote it. */
  readonly appliedAt?: EpochMs | undefined;
  /** What it was parked on, or why it was told to stop. */
  readonly reason?: string | undefined;
  readonly notBefore?: EpochMs | undefined;
  /** When the lease had ended that this change took away; absent where its holder let go in time. */
  readonly lapsedAt?: EpochMs | undefined;
  readonly stage?: string | undefined;
  readonly progress?: Progress | undefined;
  readonly error?: JobError | undefined;
  readonly expiresAt?: EpochSeconds | undefined;
}

/** `unanswered`: this one was throttled or its answer is unclear; put it again. */
export type EventPut = 'written' | 'exists' | 'unanswered';

/** Thrown by adapters when the service behind does not answer or throttles; the write may or may not have happened. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** A snapshot that becomes visible with the settle of its job. */
export interface Publication {
  readonly dataset: DatasetId;
  readonly table: TableId;
  readonly snapshot: SnapshotId;
  /** Drawn from the table's counter at receive; the pointer moves forward only. */
  readonly sequence: number;
  /** Object key of the snapshot's manifest; set on the snapshot's row too. */
  readonly manifest: string;
  /** What must be published when this is: the snapshot whose rows are part of it, or nothing. Else the Fault BASE_MOVED is thrown. */
  readonly base?: { readonly snapshot: SnapshotId | undefined } | undefined;
  /** When its dataset was created, as the job read it: one that was purged and made anew since is another. */
  readonly datasetCreatedAt?: EpochMs | undefined;
  /** Set on the snapshot's row, where given. */
  readonly publishedAt?: EpochMs | undefined;
  /**
   * Given for a table that is derived: what its rows were made of. A table stays what it was first published as: else the Fault TABLE_UPLOADED
   * or TABLE_DERIVED is thrown.
   */
  readonly sources?: readonly TableVersion[] | undefined;
}

/** A snapshot of a table that another table's rows were made of. */
export interface TableVersion {
  readonly table: TableId;
  readonly snapshot: SnapshotId;
  readonly sequence: number;
}
/** Bytes that are counted for the workspace of the job with its settle; above `most` of them the Fault STORAGE_QUOTA_EXCEEDED is thrown. */
export interface StoredBytes {
  readonly bytes: number;
  readonly most?: number | undefined;
}
/** A DynamoDB transaction holds 100 items: the job, two a table and the count of bytes, with room to spare. */
export const MAX_PUBLICATIONS = 45;
export type Published =
  | { readonly kind: 'applied'; readonly row: JobRow; readonly superseded: readonly SnapshotId[] }
  | { readonly kind: 'refused'; readonly found: JobRow | undefined };

/** One write of a transaction; no two may be of the same row. */
export type TransactWrite =
  | { readonly job: JobRef; readonly rule: Exclude<JobRuleName, 'submit'>; readonly params: object }
  | { readonly submit: NewJobRow; readonly params: RuleParams<'submit'> }
  /** Only tests guards of a job's row. */
  | { readonly check: JobRef; readonly guards: readonly Guard[]; readonly params: RuleWrite['params'] }
  | { readonly side: SideRef; readonly rule: SideRuleName; readonly params: object };

/** `refusals` has an entry a write: undefined where that write would have been applied, else the row that refused it. */
export type Transacted =
  | { readonly kind: 'applied' }
  | { readonly kind: 'refused'; readonly refusals: readonly ({ readonly found: Row | undefined } | undefined)[] };
/** What one transaction of DynamoDB holds. */
export const MAX_TRANSACTION = 100;

export interface JobStore {
  /** The submit rule: one conditional put of `row`. */
  submit(row: NewJobRow, params: RuleParams<'submit'>): Promise<Written>;
  /** One conditional write of one rule; refusals carry the row (never a separate read). Throws StoreUnavailable. */
  write<N extends JobRuleName>(ref: JobRef, rule: Exclude<N, 'submit'>, params: RuleParams<N>): Promise<Written>;
  /**
   * The settle of a pipeline: in one transaction the job succeeds under its fence, each snapshot goes PARTIAL → READY, and each table's
   * pointer moves if its sequence is older; Fault GONE is thrown where a table or its dataset is deleted, or was purged since. Where a newer snapshot is published already, this one becomes SUPERSEDED and the pointer stays.
   * Transaction conflicts are retried inside. Throws StoreUnavailable when the answer is unclear. `resultFor`, where given, is asked
   * for the result that goes with what is superseded, which is known only once a pointer has refused; `params.result` goes with nothing.
   * `stored` is counted in the same transaction, whatever is superseded.
   */
  publish(
    ref: JobRef,
    params: RuleParams<'succeed'>,
    publications: readonly Publication[],
    resultFor?: (superseded: readonly SnapshotId[]) => Promise<PayloadRef>,
    stored?: StoredBytes,
  ): Promise<Published>;
  /**
   * Applies all writes, or none. Conflicts with other transactions are retried inside. `token` names the transaction: one sent again
   * after it was applied may be answered as applied, or be refused by its own work. Throws StoreUnavailable when the answer is unclear.
   */
  transact(writes: readonly TransactWrite[], token: WriteId): Promise<Transacted>;
  /** One conditional write of one side rule. Sent again after a lost answer it may be refused by its own work. Throws StoreUnavailable. */
  writeSide<N extends SideRuleName>(side: SideRef, rule: N, params: SideParams<N>): Promise<SideWritten>;
  /** A strongly consistent read. */
  getSide(side: SideRef): Promise<Row | undefined>;
  /** Rows of a group whose name begins with `prefix`, by name; strongly consistent. */
  listSides(group: SideGroup, page: PageRequest & { readonly prefix?: string | undefined }): Promise<Page<NamedSide>>;
  /** Jobs that are parked for exactly this reason, oldest first; eventually consistent, so one named here may have moved on. */
  parkedFor(scope: Scope, reason: string, page: PageRequest): Promise<Page<JobRef>>;
  /** Failed and dead jobs that were not discarded, those that ended last first. */
  deadJobs(scope: Scope, page: PageRequest): Promise<Page<JobRow>>;
  /** A strongly consistent read. */
  get(ref: JobRef): Promise<JobRow | undefined>;
  /** Rows of one shard whose `dueAt` is not after `before`; eventually consistent, so a row named here may have moved on. */
  due(shard: number, before: EpochMs, after?: string): Promise<DuePage>;
  list(scope: Scope, filter: JobFilter, page: PageRequest): Promise<Page<JobRow>>;
  /** First writer wins at `name`; for payloads too large for the row (≤ 64 KB). */
  putPayload(ref: JobRef, name: string, json: string, expiresAt?: EpochSeconds): Promise<void>;
  getPayload(ref: JobRef, name: string): Promise<string | undefined>;
  /** Removes a payload; nothing where it is gone. */
  dropPayload(ref: JobRef, name: string): Promise<void>;
  /** Puts each event if it is absent at (job, createdAt, version); answers in the order asked. Throws StoreUnavailable. */
  putEvents(events: readonly JobEvent[]): Promise<readonly EventPut[]>;
  /** Events of the job's present life, by version. */
  events(
    job: Pick<JobRow, 'tenant' | 'workspace' | 'id' | 'createdAt'>,
    page: PageRequest & { readonly afterVersion?: number | undefined },
  ): Promise<Page<JobEvent>>;
}

/** The number of shards of the due index; it may grow, never shrink. */
export const DUE_SHARDS = 16;

/** The message on the queue: a hint to look at the row, never the truth. */
export interface Doorbell {
  readonly ref: JobRef;
  /** The row's epoch when it was rung. */
  readonly epoch: Epoch;
}

/** One doorbell to send. */
export interface Ring {
  readonly bell: Doorbell;
  readonly lane: Lane;
  readonly kind: string;
  readonly delay: DurationMs;
}

/** Named after what happens: whoever queued a row rings, and a worker hears. */
export interface Ringer {
  /** Sends one doorbell on the lane's queue of the kind's function. `delay` ≤ 15 min. Throws StoreUnavailable. */
  ring(bell: Doorbell, lane: Lane, kind: string, delay?: DurationMs): Promise<void>;
  /** The same for many, in fewer calls; answers those that were not taken, and never throws for an outage. */
  ringMany?(rings: readonly Ring[]): Promise<readonly Ring[]>;
  /** Whether the lane's queue has nothing waiting (approximate). */
  isIdle(lane: Lane, kind: string): Promise<boolean>;
  /** What the queues are called that the kind shares with others; each kind is taken to have its own where nobody says. */
  queueOf?(kind: string): string;
}

export type ProbeAnswer = 'running' | 'gone' | 'unknown';

/** Step Functions, or the in-process interpreter. */
export interface Executions {
  /** Starts the execution of (job, epoch) of its pipeline; already started with the same input counts as started. */
  start(bell: Doorbell, pipeline: string): Promise<void>;
  /** `unknown` when the service throttles or does not answer: look again later. */
  probe(bell: Doorbell, pipeline: string): Promise<ProbeAnswer>;
}
