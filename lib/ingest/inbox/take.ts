// A drop becomes a file of its dataset: a copy under a key of its own, once a version of the object.
import { createHash } from 'node:crypto';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import { type DatasetId, derivedId, type FileId, isId, type Scope } from '../../core/ids.ts';
import { fileKey, type Objects } from '../../core/objects.ts';
import type { Clock } from '../../core/time.ts';
import { setGuard } from '../../job/gates/guard.ts';
import type { SubmitEngine } from '../../job/submit/submit.ts';
import type { Catalog, Dataset } from '../catalog.ts';
import { datasetIdOf } from '../dataset-id.ts';
import type { IngestInput } from '../input.ts';
import type { PartialPolicy } from '../policy.ts';
import { quotaExceeded, requireRoom } from '../quota.ts';
import { type DropPlace, inboxKey, placeOf } from './place.ts';
import { isLater } from './sequencer.ts';

export interface TakeDeps {
  readonly catalog: Catalog;
  readonly objects: Objects;
  /** The most that a workspace may store. */
  readonly workspaceBytes?: number | undefined;
  /** Of the process that takes. */
  readonly engine: () => SubmitEngine;
}

/** A version of an object in the inbox. */
export interface Version {
  readonly path: string;
  /** What stands there now where left out. */
  readonly etag?: string | undefined;
  /** Tells which of two versions is the later one. */
  readonly sequencer?: string | undefined;
}

export type Taken =
  | { readonly kind: 'left'; readonly reason: string }
  | {
      readonly kind: 'taken';
      readonly input: IngestInput;
      /** The ingest is dropped where this has moved on before it starts: a later version takes its place. */
      readonly guard?: { readonly key: string; readonly value: string };
    };

const left = (reason: string): Taken => ({ kind: 'left', reason });

/** Faults: NAME_NOT_ALLOWED, NOT_FOUND (the dataset), OPTION_MISFIT, INPUT_UNREADABLE, STORAGE_QUOTA_EXCEEDED. */
export async function takeDrop(
  { scope, clock }: { readonly scope: Scope; readonly clock: Clock },
  deps: TakeDeps,
  version: Version,
): Promise<Taken> {
  const place = placeOf(version.path);
  const { id: dataset, policy } = await datasetAt(deps.catalog, scope, place.dataset);
  const rule = ruleOf(policy, place);
  const file = await copied(scope, deps, dataset, version);
  if (file === 'changed') return left('Another version of the object took its place before it was taken.');
  const { objectKey, id, size } = file;
  const record = { ...scope, dataset, id, name: place.file, size, objectKey, createdAt: clock.now() };
  if ((await deps.catalog.putFile(record, deps.workspaceBytes)) === 'full')
    throw quotaExceeded({ bytes: size, most: deps.workspaceBytes });
  const { table } = place;
  const input = { dataset, file: id, name: place.file, ...(table !== undefined && { table }), ...rule };
  // What is added is added whatever came later; what replaces must not come after what was dropped later.
  if (version.sequencer === undefined || (rule.mode ?? 'replace') !== 'replace') return { kind: 'taken', input };
  const guard = { key: guardOf(version.path), value: version.sequencer };
  const stays = (current: string) => current === guard.value || isLater(current, guard.value);
  const newest = await setGuard(deps.engine(), scope, guard.key, guard.value, stays);
  return newest.value === guard.value ? { kind: 'taken', input, guard } : left('A later version was taken already.');
}

const guardOf = (path: string): string => `inbox:${createHash('sha256').update(path).digest('base64url')}`;

async function datasetAt(catalog: Catalog, scope: Scope, named: string): Promise<Dataset> {
  const id = isId('ds', named) ? named : datasetIdOf(scope, named);
  const dataset = await catalog.getDataset(scope, id);
  if (dataset === undefined)
    throw new Fault('NOT_FOUND', `There is no dataset ${JSON.stringify(named)} in this workspace.`);
  return dataset;
}

/** As the policy of the dataset says it of the table, else of all. */
function ruleOf(
  { inbox = {} }: PartialPolicy = {},
  { table }: DropPlace,
): Pick<IngestInput, 'mode' | 'keys' | 'options'> {
  // A folder may be called as what objects have already.
  const ofTable = new Map(Object.entries(inbox.tables ?? {})).get(table ?? '');
  const { mode, keys, options } = ofTable ?? inbox;
  const adds = mode === 'append' || mode === 'upsert';
  if (adds && table === undefined)
    throw new Fault(
      'OPTION_MISFIT',
      `The policy of the dataset says ${mode}, which needs a table: drop it in a folder that names one.`,
    );
  return { ...(mode && { mode }), ...(keys && { keys }), ...(options && { options }) };
}

async function copied(
  scope: Scope,
  { objects, catalog, workspaceBytes: most }: TakeDeps,
  dataset: DatasetId,
  { path, etag: said, sequencer }: Version,
): Promise<'changed' | { readonly id: FileId; readonly objectKey: string; readonly size: number }> {
  const key = inboxKey(scope, path);
  const there = await objects.head(key);
  const etag = said ?? there?.etag;
  if (etag === undefined) throw gone();
  const id = derivedId('file', scope.tenant, scope.workspace, 'inbox', dataset, path, sequencer ?? etag);
  const objectKey = fileKey(scope, dataset, id);
  // A run that copied it before has no more to ask for.
  if ((await objects.head(objectKey)) === undefined)
    await requireRoom(catalog, scope, { bytes: there?.size ?? 0, most });
  const copy = await objects.copyOnce({ key, etag }, objectKey);
  if (copy === 'missing') throw gone();
  if (copy === 'changed') return copy;
  return { id, objectKey, size: must(await objects.head(objectKey), 'the copy').size };
}

const gone = (): Fault => new Fault('INPUT_UNREADABLE', 'The object was removed from the inbox before it was taken.');
