// Several files as one table: a list of them is stored as a file of its own, and that is ingested.
import { createHash } from 'node:crypto';
import { Fault } from '../core/fault.ts';
import { type DatasetId, derivedId, newId } from '../core/ids.ts';
import { areaKey, fileKey, type ListedObject } from '../core/objects.ts';
import type { FileRecord } from '../ingest/catalog.ts';
import { checkedFileName } from '../ingest/file-name.ts';
import { requireRoom } from '../ingest/quota.ts';
import { type FileList, type ListedFile, MOST_LISTED } from '../ingest/union/file-list.ts';
import type { HttpDeps } from './deps.ts';
import { fileNamed, ingestSubmission, keepFile, submitIngest, withFile } from './ingest-file.ts';
import { keyOf, type Named, namedBy } from './idempotency.ts';
import type { FilePart } from './multipart.ts';
import { misfit, type Reading } from './read-options.ts';
import type { Reply } from './route.ts';
import { jobReplyUnderKey, type SubmitCall } from './submit.ts';
import { jobNamed } from './submit-asked.ts';

export interface OneTable {
  readonly dataset: DatasetId;
  readonly reading: Reading;
  /** What tells this request from another one under its key. */
  readonly asked: object;
  /** Of the files, once it is known that no earlier request has asked for the same. */
  readonly files: (named: Named | undefined) => Promise<readonly ListedFile[]>;
}

/** Under an Idempotency-Key, the job of an earlier request. Throws the Fault STORAGE_QUOTA_EXCEEDED, and what `files` throws. */
export async function ingestAsOne(call: SubmitCall, { dataset, reading, asked, files }: OneTable): Promise<Reply> {
  const { deps, caller } = call;
  const { tenant, workspace } = caller;
  const key = keyOf(call.request);
  const named = key === undefined ? undefined : namedBy(caller, { dataset, ...reading, ...asked }, 'one-table', key);
  const createdAt = deps.clock.now();
  const id = named ? fileNamed(named) : newId('file', createdAt, deps.chance);
  const earlier = named && (await jobNamed(deps, caller, named));
  if (earlier) {
    const reply = await jobReplyUnderKey(call, { row: earlier, created: false }, named.requestHash);
    return withFile(reply, { dataset, id });
  }
  const list: FileList = { v: 1, files: [...(await files(named))] };
  const body = Buffer.from(JSON.stringify(list));
  const objectKey = fileKey(caller, dataset, id);
  const name = `${reading.table ?? 'files'}.files`;
  const file: FileRecord = {
    tenant,
    workspace,
    dataset,
    id,
    name,
    size: body.length,
    objectKey,
    createdAt,
    files: list.files.length,
  };
  await deps.objects.putOnce(objectKey, body);
  await keepFile(deps, file);
  return submitIngest(call, file, ingestSubmission(file, reading, named));
}

const requireTable = ({ table }: Reading): void => {
  if (table === undefined) throw misfit('query', 'table', 'The one table needs its name: table.');
};

/** Stores the files of a form, and submits the job of their table. Throws the Faults NAME_NOT_ALLOWED and EMPTY_FILE of any of them. */
export async function uploadAsOneTable(
  call: SubmitCall,
  dataset: DatasetId,
  reading: Reading,
  parts: readonly FilePart[],
): Promise<Reply> {
  requireTable(reading);
  const given = parts.map(({ name, bytes }) => {
    if (bytes.length === 0) throw new Fault('EMPTY_FILE', `In ${JSON.stringify(name)}: The file is empty.`);
    return { name: checkedFileName(name), bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  const asked = { files: given.map(({ name, sha256 }) => ({ name, sha256 })) };
  const files = (named: Named | undefined) => storeAll(call, dataset, given, named);
  // A caller that would wait is told of the job alone: 200 is the answer about many.
  const request = new Request(call.request.url, { method: 'POST', headers: onlyKey(call.request.headers) });
  return ingestAsOne({ ...call, request }, { dataset, reading, asked, files });
}

function onlyKey(headers: Headers): Headers {
  const kept = new Headers(headers);
  kept.delete('prefer');
  return kept;
}

async function storeAll(
  { deps, caller }: SubmitCall,
  dataset: DatasetId,
  given: readonly FilePart[],
  named: Named | undefined,
): Promise<ListedFile[]> {
  const { tenant, workspace } = caller;
  const createdAt = deps.clock.now();
  const size = given.reduce((sum, { bytes }) => sum + bytes.length, 0);
  await requireRoom(deps.catalog, caller, { bytes: size, most: deps.limits.workspaceBytes });
  const files: ListedFile[] = [];
  for (const [place, { name, bytes }] of given.entries()) {
    const id = named ? derivedId('file', fileNamed(named), String(place)) : newId('file', createdAt, deps.chance);
    const key = fileKey(caller, dataset, id);
    await deps.objects.putOnce(key, bytes);
    await keepFile(deps, { tenant, workspace, dataset, id, name, size: bytes.length, objectKey: key, createdAt });
    files.push({ id, name, key, bytes: bytes.length });
  }
  return files;
}

/** Objects that lie in `batch/<tenant>/<workspace>/<prefix>/`, by key, as files that are still to be taken. Faults: NOT_FOUND, LIMIT_EXCEEDED, NAME_NOT_ALLOWED. */
export async function filesBelow(
  { deps, caller }: SubmitCall,
  dataset: DatasetId,
  prefix: string,
): Promise<ListedFile[]> {
  const folder = `${areaKey('batch', caller)}${checkedPrefix(prefix)}/`;
  const found = await objectsBelow(deps, folder);
  if (found.length === 0)
    throw new Fault('NOT_FOUND', `There is no file below ${JSON.stringify(folder)} in the bucket.`);
  return found.map(({ key: from, size, etag }) => {
    const name = from.slice(folder.length);
    checkedFileName(name.slice(name.lastIndexOf('/') + 1));
    const id = derivedId('file', caller.tenant, caller.workspace, 'batch', dataset, from, etag);
    return { id, name, key: fileKey(caller, dataset, id), bytes: size, from: { key: from, etag } };
  });
}

/** Folders, and what programs leave beside their files, as `_SUCCESS` and `.crc`, are none of the files. */
const isFile = ({ key }: ListedObject): boolean => /(^|\/)[^/._][^/]*$/.test(key);

async function objectsBelow({ objects }: Pick<HttpDeps, 'objects'>, folder: string): Promise<ListedObject[]> {
  const found: ListedObject[] = [];
  for (let after: string | undefined; ; ) {
    const page = await objects.list(folder, after);
    found.push(...page.objects.filter(isFile));
    if (found.length > MOST_LISTED)
      throw new Fault('LIMIT_EXCEEDED', `There are more than ${MOST_LISTED} files below ${JSON.stringify(folder)}.`, {
        extra: { limit: MOST_LISTED },
      });
    if (page.after === undefined) return found;
    after = page.after;
  }
}

/** Throws the Fault VALIDATION_FAILED. */
function checkedPrefix(prefix: string): string {
  const plain = prefix.replace(/\/$/, '');
  const isPart = (part: string) => part !== '' && part !== '.' && part !== '..' && !/[\\\p{Cc}]/u.test(part);
  if (plain.isWellFormed() && plain.split('/').every(isPart)) return plain;
  throw misfit('', 'prefix', 'It is no path of a folder.');
}
