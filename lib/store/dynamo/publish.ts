// Publishing as the settle, in DynamoDB: one transaction over the job, its snapshots and the pointers of their tables.
import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { must } from '../../core/check.ts';
import type { Fault } from '../../core/fault.ts';
import type { DatasetId, JobRef, SnapshotId } from '../../core/ids.ts';
import { millis } from '../../core/time.ts';
import { quotaExceeded } from '../../ingest/quota.ts';
import { workspaceDeleted } from '../../job/dead/workspaces.ts';
import { type Publication, type Published, type StoredBytes, StoreUnavailable } from '../../job/ports.ts';
import type { RuleWrite } from '../../rule/rule.ts';
import { fromJobItem } from '../job-item.ts';
import type { Tally } from '../items.ts';
import { withinLimit } from '../limits.ts';
import { DELETION, PURGED, PURGED_THROUGH } from '../deletions.ts';
import {
  baseMoved,
  checkPublications,
  goneDataset,
  goneTable,
  isOtherwise,
  notPublishable,
  otherwise,
  pointerOf,
  type ResultFor,
  withResultFor,
} from '../publications.ts';
import { tableRowSchema } from '../records.ts';
import { openTally, tableTally } from '../usage.ts';
import { datasetKey, jobKey, snapshotKey, tableKey } from '../table.ts';
import { isPassing } from './call.ts';
import type { Table } from './client.ts';
import { refusedTally, tallyWrite } from './count.ts';
import { createDynamoItems } from './items.ts';
import { toUpdate } from './render.ts';
import { REFUSED, sendTogether } from './send-together.ts';

type TransactItems = NonNullable<TransactWriteCommandInput['TransactItems']>;
type Reason = CancellationReason;

const TRIES = 8;
const FIRST_PAUSE_MS = 25;

export async function publishAll(
  table: Table,
  ref: JobRef,
  write: RuleWrite,
  publications: readonly Publication[],
  resultFor?: ResultFor,
  stored?: StoredBytes,
): Promise<Published> {
  checkPublications(publications);
  withinLimit(write.params);
  const superseded = new Set<SnapshotId>();
  for (let tries = 0; tries < TRIES + publications.length; tries++) {
    const settle = await withResultFor(write, [...superseded], resultFor);
    const plan = planOf(table, ref, settle, { publications, superseded, stored });
    const reasons = await sendTogether(table, { TransactItems: plan.items });
    if (reasons === undefined)
      return { kind: 'applied', row: await settledRow(table, ref), superseded: [...superseded] };
    const [ofJob, ...ofTables] = reasons;
    if (ofJob?.Code === REFUSED) return refusalOf(ofJob);
    const ofStored = reasons.at(-1);
    if (ofStored?.Code === REFUSED) throw notStored(tallyOf(ref, stored), ofStored, stored);
    const overtaken = plan.pointers.filter(({ index }) => ofTables[index - 1]?.Code === REFUSED);
    const gone = plan.datasets.find(({ index }) => ofTables[index - 1]?.Code === REFUSED);
    if (gone !== undefined) throw goneDataset(gone.dataset);
    const conflicts = reasons.some(({ Code }) => isPassing(Code));
    if (!conflicts && overtaken.length === 0) throw notPublishable('a snapshot is not this job’s to publish');
    for (const { publication, index } of overtaken) superseded.add(overtakenBy(publication, ofTables[index - 1]));
    if (conflicts) await table.clock.sleep(millis(FIRST_PAUSE_MS * 2 ** Math.min(tries, 5)));
  }
  throw new StoreUnavailable('Publishing met other transactions at every try.');
}

interface Plan {
  readonly items: TransactItems;
  /** Which item moves which pointer. */
  readonly pointers: readonly { readonly publication: Publication; readonly index: number }[];
  /** Which item tests which dataset. */
  readonly datasets: readonly { readonly dataset: DatasetId; readonly index: number }[];
}

function planOf(
  table: Table,
  ref: JobRef,
  write: RuleWrite,
  {
    publications,
    superseded,
    stored,
  }: {
    readonly publications: readonly Publication[];
    readonly superseded: ReadonlySet<SnapshotId>;
    readonly stored: StoredBytes | undefined;
  },
): Plan {
  const settle = { TableName: table.name, Key: { ...jobKey(ref) }, ...toUpdate(write) };
  const items: TransactItems = [{ Update: { ...settle, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } }];
  const pointers: { publication: Publication; index: number }[] = [];
  for (const publication of publications) {
    const isOvertaken = superseded.has(publication.snapshot);
    items.push(snapshotUpdate(table, ref, publication, isOvertaken ? 'SUPERSEDED' : 'READY'));
    if (isOvertaken) continue;
    pointers.push({ publication, index: items.length });
    items.push(pointerUpdate(table, ref, publication));
  }
  const datasets: { dataset: DatasetId; index: number }[] = [];
  for (const [dataset, { datasetCreatedAt }] of new Map(publications.map((each) => [each.dataset, each]))) {
    datasets.push({ dataset, index: items.length });
    items.push(datasetCheck(table, ref, dataset, datasetCreatedAt));
  }
  items.push(tallyWrite(table, tallyOf(ref, stored)));
  return { items, pointers, datasets };
}

const tallyOf = (ref: JobRef, stored: StoredBytes | undefined): Tally =>
  stored === undefined ? openTally(ref) : tableTally(ref, stored);

const notStored = (tally: Tally, reason: Reason, stored: StoredBytes | undefined): Fault =>
  stored === undefined || refusedTally(tally, reason) === 'barred' ? workspaceDeleted() : quotaExceeded(stored);

const datasetCheck = (
  table: Table,
  ref: JobRef,
  dataset: DatasetId,
  createdAt: Publication['datasetCreatedAt'],
): TransactItems[number] => ({
  ConditionCheck: {
    TableName: table.name,
    Key: { ...datasetKey(ref, dataset) },
    ConditionExpression: `attribute_not_exists(#deletion) AND attribute_not_exists(#purged)${createdAt === undefined ? '' : ' AND #createdAt = :createdAt'}`,
    ExpressionAttributeNames: {
      ...{ '#deletion': DELETION, '#purged': PURGED },
      ...(createdAt !== undefined && { '#createdAt': 'createdAt' }),
    },
    ...(createdAt !== undefined && { ExpressionAttributeValues: { ':createdAt': createdAt } }),
  },
});

const snapshotUpdate = (
  table: Table,
  ref: JobRef,
  { dataset, table: of, snapshot, sequence, manifest, publishedAt }: Publication,
  status: 'READY' | 'SUPERSEDED',
): TransactItems[number] => ({
  Update: {
    TableName: table.name,
    Key: { ...snapshotKey(ref, dataset, of, sequence) },
    ConditionExpression: '#status = :partial AND #id = :id AND #job = :job',
    UpdateExpression: `SET #status = :status, #manifest = :manifest${publishedAt === undefined ? '' : ', #at = :at'}`,
    ExpressionAttributeNames: {
      ...{ '#status': 'status', '#id': 'id', '#job': 'job', '#manifest': 'manifest' },
      ...(publishedAt !== undefined && { '#at': 'publishedAt' }),
    },
    ExpressionAttributeValues: {
      ':partial': 'PARTIAL',
      ':id': snapshot,
      ':job': ref.id,
      ':status': status,
      ':manifest': manifest,
      ...(publishedAt !== undefined && { ':at': publishedAt }),
    },
  },
});

function pointerUpdate(table: Table, ref: JobRef, publication: Publication): TransactItems[number] {
  const { dataset, table: of, sequence, base, sources } = publication;
  const older = '#current.#sequence < :sequence';
  const [none, based] = ['attribute_not_exists(#current)', `#current.#snapshot = :base AND ${older}`];
  const moves = base === undefined ? `${none} OR ${older}` : base.snapshot === undefined ? none : based;
  const isBased = base?.snapshot !== undefined;
  const same =
    sources === undefined
      ? 'attribute_not_exists(#current.#sources)'
      : `(${none} OR attribute_exists(#current.#sources))`;
  const there = 'attribute_exists(pk) AND attribute_not_exists(#deletion)';
  const notPurged = '(attribute_not_exists(#purged) OR #purged < :sequence)';
  return {
    Update: {
      TableName: table.name,
      Key: { ...tableKey(ref, dataset, of) },
      ConditionExpression: `${there} AND ${notPurged} AND (${moves}) AND ${same}`,
      UpdateExpression: 'SET #current = :current',
      ExpressionAttributeNames: {
        ...{ '#current': 'current', '#sources': 'sources', '#deletion': DELETION, '#purged': PURGED_THROUGH },
        ...((isBased || base === undefined) && { '#sequence': 'sequence' }),
        ...(isBased && { '#snapshot': 'snapshot' }),
      },
      ExpressionAttributeValues: {
        ...{ ':current': pointerOf(publication), ':sequence': sequence },
        ...(isBased && { ':base': base.snapshot }),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

const refusalOf = ({ Item }: Reason): Published => ({
  kind: 'refused',
  found: Item === undefined ? undefined : fromJobItem(unmarshall(Item)),
});

/** The snapshot that a newer one was published before; without the table's row nothing was, and the publication is wrong. */
function overtakenBy(publication: Publication, reason: Reason | undefined): SnapshotId {
  const { snapshot, sequence, table, base } = publication;
  if (reason?.Item === undefined) throw notPublishable(`there is no table ${table}`);
  const row = unmarshall(reason.Item);
  if (row[DELETION] !== undefined || Number(row[PURGED_THROUGH] ?? 0) >= sequence) throw goneTable(table);
  if (isOtherwise(publication, tableRowSchema.parse(row).current)) throw otherwise(publication);
  if (base !== undefined) throw baseMoved(table);
  return snapshot;
}

/** A transaction answers no rows. The row read may have been changed since by what follows a settle. */
async function settledRow(table: Table, ref: JobRef) {
  return fromJobItem(must(await createDynamoItems(table).get(jobKey(ref)), 'the settled row'));
}
