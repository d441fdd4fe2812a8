// From bytes that are stored to an ingest job: the file's row, then the job, both under ids that a repeated call works out again.
import { createHash } from 'node:crypto';
import { Fault } from '../core/fault.ts';
import { type DatasetId, derivedId, type FileId, type JobId, newId, type Scope } from '../core/ids.ts';
import { fileKey } from '../core/objects.ts';
import type { FileRecord } from '../ingest/catalog.ts';
import { tidyLater } from '../ingest/deletion/kinds.ts';
import { gatesOf } from '../ingest/gates.ts';
import { quotaExceeded, requireRoom } from '../ingest/quota.ts';
import type { HttpDeps } from './deps.ts';
import { type Named, namedBy } from './idempotency.ts';
import type { Reading } from './read-options.ts';
import type { Answer, Reply } from './route.ts';
import { jobReplyUnderKey, replayAnswer, type SubmitCall, submitAnswers, submitReply } from './submit.ts';
import { jobNamed } from './submit-asked.ts';

/** One file is ingested by one job, however often its upload is completed. */
export const ingestJobId = ({ tenant, workspace }: Scope, file: FileId): JobId =>
  derivedId('job', tenant, workspace, 'ingest', file);

/** What the ingest kind is submitted with; `named` where a key says which job it is. The jobs of a dataset share a flow, so that they are listed, paused and cancelled together. */
export const ingestSubmission = (
  file: FileRecord,
  { onConflict, ...reading }: Reading,
  { id = ingestJobId(file, file.id), ...named }: { readonly [K in keyof Named]?: Named[K] | undefined } = {},
) => ({
  kind: 'ingest',
  id,
  flow: file.dataset,
  input: { dataset: file.dataset, file: file.id, name: file.name, ...reading },
  ...gatesOf(file, { ...reading, onConflict }),
  ...named,
});

const scopeOf = ({ tenant, workspace }: Scope): Scope => ({ tenant, workspace });

/** Throws Fault TABLE_BUSY where the job that was answered is another file's. */
export async function submitIngest(
  call: SubmitCall,
  file: FileRecord,
  submission: ReturnType<typeof ingestSubmission>,
) {
  await tidyLater(call.deps, scopeOf(call.caller), file.dataset, call.ids.correlationId);
  const reply = await submitReply(call, submission, (held) => {
    throw new Fault('TABLE_BUSY', `The job ${held.id} has not ended.`, { extra: { jobId: held.id, fileId: file.id } });
  });
  return withFile(reply, file);
}

/** The answer about a file's ingest, with the file itself in a header, since the job is what the body tells. */
export const withFile = ({ headers, ...reply }: Reply, { dataset, id }: Pick<FileRecord, 'dataset' | 'id'>): Reply => ({
  ...reply,
  headers: { ...headers, link: `</v1/datasets/${dataset}/files/${id}>; rel="item"` },
});

const more = { Link: 'The file, as `rel="item"`: own kinds read it by its id.', ...replayAnswer };
const { 200: done, 202: queued } = submitAnswers;
/** What both ways to upload answer, for OpenAPI. */
export const ingestAnswers = {
  200: { ...done, headers: { ...done.headers, ...more } },
  202: { ...queued, headers: { ...queued.headers, ...more } },
} satisfies Record<number, Answer>;

/** A file as a request carries it. */
export interface GivenFile {
  readonly dataset: DatasetId;
  readonly name: string;
  readonly reading: Reading;
  readonly bytes: Uint8Array;
  /** Of the Idempotency-Key, where there is one. */
  readonly key?: readonly string[] | undefined;
}

/** What tells an upload from another one under its key: not how it was packed. */
const askedOf = ({ dataset, name, reading, bytes }: GivenFile) => ({
  dataset,
  name,
  ...reading,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/** Of the request as well as the key: bytes that another request left behind before it became a job are never taken for these. */
export const fileNamed = ({ id, requestHash }: Named): FileId => derivedId('file', id, requestHash);

/**
 * Makes the row of a file whose object is there. Throws the Fault STORAGE_QUOTA_EXCEEDED: the object stays then, since another request of
 * the same may be about to ingest it.
 */
export async function keepFile(
  { catalog, limits }: Pick<HttpDeps, 'catalog' | 'limits'>,
  file: FileRecord,
): Promise<void> {
  const most = limits.workspaceBytes;
  if ((await catalog.putFile(file, most)) === 'full') throw quotaExceeded({ bytes: file.size, most });
}

/** Stores the bytes and submits their ingest; under a key, the job of an earlier request. */
export async function ingestBytes(
  call: SubmitCall,
  given: GivenFile,
): Promise<{ readonly id: FileId; readonly reply: Reply }> {
  const { deps, caller } = call;
  const { dataset, name, reading, bytes, key } = given;
  const { tenant, workspace } = caller;
  const createdAt = deps.clock.now();
  const named = key && namedBy(caller, askedOf(given), ...key);
  const id = named ? fileNamed(named) : newId('file', createdAt, deps.chance);
  const earlier = named && (await jobNamed(deps, caller, named));
  if (earlier) {
    const reply = await jobReplyUnderKey(call, { row: earlier, created: false }, named.requestHash);
    return { id, reply: withFile(reply, { dataset, id }) };
  }
  const objectKey = fileKey(caller, dataset, id);
  const file = { tenant, workspace, dataset, id, name, size: bytes.length, objectKey, createdAt };
  await requireRoom(deps.catalog, caller, { bytes: file.size, most: deps.limits.workspaceBytes });
  await deps.objects.putOnce(objectKey, bytes);
  await keepFile(deps, file);
  return { id, reply: await submitIngest(call, file, ingestSubmission(file, reading, named)) };
}
