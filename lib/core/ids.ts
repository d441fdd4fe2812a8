// Every id is a prefix and 26 base-32 characters: a ULID, or bits of a hash when it is derived.
import { createHash } from 'node:crypto';
import { decodeTime, isValid, ulid } from 'ulid';
import type { Brand } from './brand.ts';
import type { Chance } from './chance.ts';
import { type EpochMs, epochMs } from './time.ts';

export type TenantId = Brand<string, 'TenantId'>;
export type WorkspaceId = Brand<string, 'WorkspaceId'>;
export type JobId = Brand<string, 'JobId'>;
export type DatasetId = Brand<string, 'DatasetId'>;
export type FileId = Brand<string, 'FileId'>;
export type TableId = Brand<string, 'TableId'>;
export type SnapshotId = Brand<string, 'SnapshotId'>;
export type UploadId = Brand<string, 'UploadId'>;
/** A relation between columns of two tables of a dataset. */
export type RelationId = Brand<string, 'RelationId'>;
/** The result of a query, where it is a file. */
export type ResultId = Brand<string, 'ResultId'>;
export type KeyId = Brand<string, 'KeyId'>;
export type RequestId = Brand<string, 'RequestId'>;
/** A secret of one claim: whoever holds it is the claimant. */
export type OwnerToken = Brand<string, 'OwnerToken'>;
/** Minted before a write is first sent, so that a refused write can recognise its own row. */
export type WriteId = Brand<string, 'WriteId'>;
/** Raised by every claim; starts at `createdAt` in ms; (id, epoch) never repeats. */
export type Epoch = Brand<number, 'Epoch'>;

/** The type of an id by its prefix. */
export interface Prefixes {
  job: JobId;
  ds: DatasetId;
  file: FileId;
  tbl: TableId;
  snap: SnapshotId;
  up: UploadId;
  rel: RelationId;
  res: ResultId;
  key: KeyId;
  req: RequestId;
  own: OwnerToken;
  w: WriteId;
}
export type IdPrefix = keyof Prefixes;

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A fresh id, e.g. `job_01JDXK…`; sorts by creation time within a millisecond's grain. */
export const newId = <P extends IdPrefix>(prefix: P, now: EpochMs, chance: Chance): Prefixes[P] =>
  `${prefix}_${ulid(now, () => chance.next())}` as unknown as Prefixes[P];

/** When an id of `newId` was made; undefined for one of another form. Of a derived id the answer means nothing. */
export function timeOfId(id: string): EpochMs | undefined {
  const text = id.slice(id.indexOf('_') + 1);
  return /^[0-7]/.test(text) && isValid(text) ? epochMs(decodeTime(text)) : undefined;
}

/** An id that anybody who knows the parts can work out again (130 bits of SHA-256). */
export function derivedId<P extends IdPrefix>(prefix: P, ...parts: readonly string[]): Prefixes[P] {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  let bits = BigInt(`0x${digest.toString('hex')}`);
  let text = '';
  for (let place = 0; place < 26; place++) {
    text += CROCKFORD[Number(bits & 31n)] ?? '';
    bits >>= 5n;
  }
  return `${prefix}_${text}` as unknown as Prefixes[P];
}

/** Whether `text` has the form of an id with this prefix; says nothing of whether it exists. */
export const isId = <P extends IdPrefix>(prefix: P, text: string): text is Prefixes[P] & string =>
  new RegExp(`^${prefix}_[${CROCKFORD}]{26}$`).test(text);

/** Who the data belongs to: part of every key. */
export interface Scope {
  readonly tenant: TenantId;
  readonly workspace: WorkspaceId;
}

/** Where a job row lives. */
export interface JobRef extends Scope {
  readonly id: JobId;
}
