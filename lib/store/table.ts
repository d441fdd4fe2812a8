// The one table: its schema as data, and every key. Nothing else knows how a key is built. Every partition key starts with the tenant
// and the workspace; parts are escaped, so that no id can reach into another's partition.
import { createHash } from 'node:crypto';
import type { DocumentGroup, DocumentRef } from '../core/documents.ts';
import { Fault } from '../core/fault.ts';
import type { DatasetId, JobId, JobRef, KeyId, Scope, TableId, TenantId, WorkspaceId } from '../core/ids.ts';
import { type EpochMs, toIso } from '../core/time.ts';
import { DUE_SHARDS } from '../job/ports.ts';
import type { SideGroup, SideRef } from '../job/side/side.ts';

/** What infrastructure and tests create. The indexes hold keys only, so an update that leaves them alone costs them nothing. */
export const tableSchema = {
  attributes: {
    pk: 'S',
    sk: 'S',
    dueShard: 'N',
    dueAt: 'N',
    listKey: 'S',
    createdAt: 'N',
    parkKey: 'S',
    deadKey: 'S',
    finishedAt: 'N',
  },
  key: { partition: 'pk', sort: 'sk' },
  indexes: [
    { name: 'due', partition: 'dueShard', sort: 'dueAt', projection: 'KEYS_ONLY' },
    { name: 'list', partition: 'listKey', sort: 'createdAt', projection: 'KEYS_ONLY' },
    { name: 'park', partition: 'parkKey', sort: 'createdAt', projection: 'KEYS_ONLY' },
    { name: 'dead', partition: 'deadKey', sort: 'finishedAt', projection: 'KEYS_ONLY' },
  ],
  /** Epoch seconds. */
  timeToLive: 'expiresAt',
  stream: 'NEW_AND_OLD_IMAGES',
} as const;

export interface Key {
  readonly pk: string;
  readonly sk: string;
}
/** The part of a key that pages of one partition share: the sort key's beginning. */
export interface KeyRange {
  readonly pk: string;
  readonly prefix: string;
}

/** The sort key of every job row and of nothing else: what a stream filter asks for. */
export const JOB_SORT_KEY = 'job';
const SYSTEM = 'system';
const MAX_PARTITION_KEY_BYTES = 2048;
const MAX_SORT_KEY_BYTES = 1024;
/** Holds every millisecond and every version that a number can hold exactly. */
const DIGITS = 16;

const escape = (part: string): string => part.replaceAll('%', '%25').replaceAll('#', '%23');
const unescape = (part: string): string => part.replaceAll('%23', '#').replaceAll('%25', '%');
const joined = (...parts: readonly string[]): string => parts.map(escape).join('#');
const padded = (value: number): string => String(value).padStart(DIGITS, '0');

function bounded(text: string, limit: number): string {
  if (Buffer.byteLength(text) > limit) throw new Fault('LIMIT_EXCEEDED', `A key is longer than ${limit} bytes.`);
  return text;
}

const partition = (scope: Scope, ...parts: readonly string[]): string =>
  bounded(joined(scope.tenant, scope.workspace, ...parts), MAX_PARTITION_KEY_BYTES);
const keyOf = (pk: string, ...parts: readonly string[]): Key => ({
  pk,
  sk: bounded(joined(...parts), MAX_SORT_KEY_BYTES),
});
const rangeOf = (pk: string, ...parts: readonly string[]): KeyRange => ({ pk, prefix: `${joined(...parts)}#` });

// Jobs: the row, its payloads and its events share a partition
const jobPartition = (ref: JobRef): string => partition(ref, 'job', ref.id);
export const jobKey = (ref: JobRef): Key => keyOf(jobPartition(ref), JOB_SORT_KEY);
export const payloadKey = (ref: JobRef, name: string): Key => keyOf(jobPartition(ref), 'payload', name);
export const eventKey = (ref: JobRef, createdAt: EpochMs, version: number): Key =>
  keyOf(jobPartition(ref), 'event', padded(createdAt), padded(version));
export const eventRange = (ref: JobRef, createdAt: EpochMs): KeyRange =>
  rangeOf(jobPartition(ref), 'event', padded(createdAt));

/** Where the job of a partition key lives; throws a TypeError for another kind of key. */
export function jobOf(pk: string): JobRef {
  const [tenant, workspace, kind, id, ...rest] = pk.split('#').map(unescape);
  if (kind !== 'job' || id === undefined || rest.length > 0) throw new TypeError(`not a job's key: ${pk}`);
  return { tenant: tenant as TenantId, workspace: workspace as WorkspaceId, id: id as JobId };
}

// Side rows: a group shares a partition
const SIDE = 'side';
const sidePartition = ({ family, group, ...scope }: SideGroup): string => partition(scope, SIDE, family, group);
export const sideKey = (side: SideRef): Key => keyOf(sidePartition(side), SIDE, side.name);
/** Every side row of a group whose name begins with `prefix`. */
export const sideRange = (group: SideGroup, prefix = ''): KeyRange => ({
  pk: sidePartition(group),
  prefix: joined(SIDE, prefix),
});
/** The side row of a key; undefined for another kind of key. */
export function sideOf({ pk, sk }: Key): SideRef | undefined {
  const [tenant, workspace, kind, family, group, ...rest] = pk.split('#').map(unescape);
  const [mark, name] = sk.split('#').map(unescape);
  if (kind !== SIDE || mark !== SIDE || group === undefined || name === undefined || rest.length > 0) return undefined;
  const scope = { tenant: tenant as TenantId, workspace: workspace as WorkspaceId };
  return { ...scope, family: family as SideRef['family'], group, name };
}

// The catalogue: datasets of a workspace; files, uploads, tables and snapshots of a dataset
const datasetPartition = (scope: Scope, dataset: DatasetId): string => partition(scope, 'dataset', dataset);
export const datasetKey = (scope: Scope, id: DatasetId): Key => keyOf(partition(scope, 'datasets'), 'dataset', id);
export const datasetRange = (scope: Scope): KeyRange => rangeOf(partition(scope, 'datasets'), 'dataset');
export const fileKey = (scope: Scope, dataset: DatasetId, id: string): Key =>
  keyOf(datasetPartition(scope, dataset), 'file', id);
export const fileRange = (scope: Scope, dataset: DatasetId): KeyRange =>
  rangeOf(datasetPartition(scope, dataset), 'file');
export const uploadKey = (scope: Scope, dataset: DatasetId, id: string): Key =>
  keyOf(datasetPartition(scope, dataset), 'upload', id);
export const tableKey = (scope: Scope, dataset: DatasetId, id: TableId): Key =>
  keyOf(datasetPartition(scope, dataset), 'table', id);
export const tableRange = (scope: Scope, dataset: DatasetId): KeyRange =>
  rangeOf(datasetPartition(scope, dataset), 'table');
/** By sequence, so that a query reads them in order; an entry under the id leads here. */
export const snapshotKey = (scope: Scope, dataset: DatasetId, table: TableId, sequence: number): Key =>
  keyOf(datasetPartition(scope, dataset), 'snapshot', table, padded(sequence));
export const snapshotRange = (scope: Scope, dataset: DatasetId, table: TableId): KeyRange =>
  rangeOf(datasetPartition(scope, dataset), 'snapshot', table);
export const snapshotIdKey = (scope: Scope, dataset: DatasetId, table: TableId, id: string): Key =>
  keyOf(datasetPartition(scope, dataset), 'snapshot-id', table, id);
/** The rows of a table's snapshots, or of a dataset's beside its tables: whatever goes with a purge. */
export const purgedRanges = (scope: Scope, dataset: DatasetId, table?: TableId): readonly KeyRange[] => {
  const of = table === undefined ? [] : [table];
  const kinds = table === undefined ? ['file', 'upload', 'snapshot', 'snapshot-id'] : ['snapshot', 'snapshot-id'];
  return kinds.map((kind) => rangeOf(datasetPartition(scope, dataset), kind, ...of));
};

/** What the keys of all partitions of a workspace begin with. */
export const workspacePrefix = (scope: Scope): string => `${partition(scope)}#`;
/** The API keys of a workspace, by id: the rows that they lead to are under the reserved tenant. */
export const keyEntryKey = (scope: Scope, id: KeyId): Key => keyOf(partition(scope, 'keys'), 'key', id);
export const keyEntryRange = (scope: Scope): KeyRange => rangeOf(partition(scope, 'keys'), 'key');

/** What a workspace stores, counted. */
export const usageKey = (scope: Scope): Key => keyOf(partition(scope, 'usage'), 'usage');

// Documents: a group shares a partition
const documentPartition = ({ family, group, ...scope }: DocumentGroup): string =>
  partition(scope, 'document', family, group);
export const documentKey = (ref: DocumentRef): Key => keyOf(documentPartition(ref), 'document', ref.name);
/** Every document of a group whose name begins with `prefix`. */
export const documentRange = (group: DocumentGroup, prefix = ''): KeyRange => ({
  pk: documentPartition(group),
  prefix: joined('document', prefix),
});

/** API keys are found before their tenant is known, so they live under the reserved tenant. */
export const apiKeyKey = (id: KeyId): Key =>
  keyOf(partition({ tenant: SYSTEM as TenantId, workspace: SYSTEM as WorkspaceId }, 'key', id), 'key');

// Indexes
/** The shard of the due index that an entry is in: by the id of a job, or the name of a side row. */
export const dueShardOf = (id: string): number => (createHash('sha256').update(id).digest()[0] ?? 0) % DUE_SHARDS;
/** A UTC day, e.g. `2025-01-31`. */
export const dayOf = (time: EpochMs): string => toIso(time).slice(0, 10);
export const listKeyOf = (scope: Scope, day: string): string => `${partition(scope)}#${day}`;
/** What the list keys of a workspace begin with. */
export const listPrefixOf = (scope: Scope): string => `${partition(scope)}#`;
/** A reason to be parked, within a workspace. */
export const parkKeyOf = (scope: Scope, reason: string): string => `${partition(scope)}#${escape(reason)}`;
/** The failed and dead jobs of a workspace. */
export const deadKeyOf = (scope: Scope): string => partition(scope);
