import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { derivedId, newId, type Scope, type UploadId } from '../../core/ids.ts';
import { fileKey, type UploadedPart } from '../../core/objects.ts';
import { later, toIso } from '../../core/time.ts';
import type { Upload } from '../../ingest/catalog.ts';
import { requireRoom } from '../../ingest/quota.ts';
import type { HttpDeps } from '../deps.ts';
import { keepFile, ingestAnswers, ingestJobId, ingestSubmission, submitIngest, withFile } from '../ingest-file.ts';
import { keyHeader, keyOf, namedBy } from '../idempotency.ts';
import { uploadLimits } from '../limits.ts';
import { checkedFileName } from '../../ingest/file-name.ts';
import { readingFields, readingOf } from '../read-options.ts';
import { defineRoute } from '../route.ts';
import { idSchema, isoTime } from '../schemas.ts';
import { jobReplyUnderKey, preferHeader } from '../submit.ts';
import { datasetOf, datasetParams } from './datasets.ts';

const MIB = 1024 ** 2;
const { size: maxSize, minPart, maxPart, defaultPart, parts: maxParts, expires } = uploadLimits;

const uploadSchema = z
  .strictObject({
    id: idSchema<UploadId>('up'),
    name: z.string(),
    size: z.int(),
    partSize: z.int().meta({ description: 'Bytes of every part but the last.' }),
    parts: z
      .array(z.strictObject({ number: z.int(), url: z.string() }))
      .meta({ description: 'PUT each part’s bytes to its URL, in any order, and keep the ETag that each answers.' }),
    completeRoute: z.string(),
    expiresAt: isoTime.meta({ description: 'Temporary credentials behind a URL may end it earlier.' }),
  })
  .meta({ id: 'Upload' });

/** Large enough that the parts are few enough. */
function partSizeFor(size: number, asked: number | undefined): number {
  const least = Math.max(minPart, Math.ceil(size / maxParts / MIB) * MIB);
  if (asked === undefined) return Math.max(defaultPart, least);
  if (asked >= least) return asked;
  const errors = [{ pointer: '#/partSize', detail: `An upload has at most ${maxParts} parts: use ${least} or more.` }];
  throw new Fault('VALIDATION_FAILED', 'The parts would be too many.', { errors });
}

const createUpload = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/uploads',
  operationId: 'createUpload',
  summary: 'Start an upload in presigned parts, up to 50 GiB',
  access: 'datasets:write',
  servedBy: 'api',
  request: {
    params: datasetParams,
    body: z.strictObject({
      name: z.string().meta({ description: 'The file’s name; its extension says the format.' }),
      size: z.int().min(0).max(maxSize).meta({ description: 'Bytes of the whole file.' }),
      partSize: z.int().min(minPart).max(maxPart).optional().meta({ description: 'Bytes; chosen when absent.' }),
      ...readingFields,
    }),
  },
  answers: { 201: { description: 'Where to send the parts.', schema: uploadSchema } },
  problems: ['NAME_NOT_ALLOWED', 'EMPTY_FILE', 'STORAGE_QUOTA_EXCEEDED'],
  handle: async ({ deps, caller: { tenant, workspace }, params, body }) => {
    const name = checkedFileName(body.name);
    const reading = readingOf(body);
    if (body.size === 0) throw new Fault('EMPTY_FILE', 'The size is 0.');
    const partSize = partSizeFor(body.size, body.partSize);
    await datasetOf(deps.catalog, { tenant, workspace }, params.id);
    await requireRoom(deps.catalog, { tenant, workspace }, { bytes: body.size, most: deps.limits.workspaceBytes });
    const createdAt = deps.clock.now();
    const id = newId('up', createdAt, deps.chance);
    const objectKey = fileKey({ tenant, workspace }, params.id, fileIdOf({ tenant, workspace }, id));
    const partCount = Math.ceil(body.size / partSize);
    const multipartId = await deps.objects.startMultipart(objectKey, partSize);
    const parts = await deps.objects.presignParts(objectKey, multipartId, partCount, expires);
    const upload: Upload = {
      ...{ tenant, workspace, dataset: params.id, id, name, size: body.size, partSize, partCount },
      ...{ objectKey, multipartId, createdAt, expiresAt: later(createdAt, expires) },
      ...reading,
    };
    await deps.catalog.putUpload(upload);
    const completeRoute = `/v1/datasets/${params.id}/uploads/${id}/complete`;
    const expiresAt = toIso(later(createdAt, expires));
    return { status: 201, body: { id, name, size: body.size, partSize, parts, completeRoute, expiresAt } };
  },
});

/** The file's id follows from the upload's, and the job's from the file's: completing again finds both. */
const fileIdOf = ({ tenant, workspace }: Scope, upload: UploadId) => derivedId('file', tenant, workspace, upload);

/** Every part once, or UPLOAD_INCOMPLETE with the first numbers that are missing. */
function checkedParts(parts: readonly UploadedPart[], count: number): UploadedPart[] {
  const byNumber = new Map(parts.map((part) => [part.number, part]));
  const wanted = Array.from({ length: count }, (_, index) => index + 1);
  const missing = wanted.filter((number) => !byNumber.has(number));
  if (missing.length > 0 || parts.length !== count) {
    const which = missing.length > 0 ? `; missing: ${missing.slice(0, 10).join(', ')}` : '';
    throw new Fault('UPLOAD_INCOMPLETE', `The upload has ${count} parts, each to be named once${which}.`);
  }
  return [...byNumber.values()].sort((a, b) => a.number - b.number);
}

/** Joins the parts into the object; a repeated call finds it joined. The object must have the size that was declared. */
async function joinParts({ objects }: HttpDeps, upload: Upload, parts: readonly UploadedPart[]): Promise<void> {
  const joined = await objects.completeMultipart(upload.objectKey, upload.multipartId, parts);
  if (joined === 'incomplete')
    throw new Fault('UPLOAD_INCOMPLETE', 'Parts are missing, or their ETags are not the ones that were answered.');
  const size = (await objects.head(upload.objectKey))?.size;
  if (size !== upload.size)
    throw new Fault(
      'UPLOAD_INCOMPLETE',
      `The parts together have ${size ?? 0} bytes, but ${upload.size} were declared: start a new upload.`,
    );
}

const completeUpload = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/uploads/{uploadId}/complete',
  operationId: 'completeUpload',
  summary: 'Join the parts and ingest the file',
  description:
    'Completing again answers with the same job, with an Idempotency-Key or without; under one, other parts are refused.',
  access: 'datasets:write',
  servedBy: 'api',
  request: {
    params: datasetParams.extend({ uploadId: idSchema<UploadId>('up') }),
    headers: { ...keyHeader, ...preferHeader },
    body: z.strictObject({
      parts: z
        .array(z.strictObject({ number: z.int().min(1).max(maxParts), etag: z.string().min(1).max(128) }))
        .min(1)
        .max(maxParts),
    }),
  },
  answers: ingestAnswers,
  problems: ['UPLOAD_INCOMPLETE', 'STORAGE_QUOTA_EXCEEDED', 'TABLE_BUSY', 'IDEMPOTENCY_KEY_REUSED', 'FLOW_DISABLED'],
  handle: async (call) => {
    const { deps, params, body } = call;
    const key = keyOf(call.request);
    const scope: Scope = { tenant: call.caller.tenant, workspace: call.caller.workspace };
    const fileId = fileIdOf(scope, params.uploadId);
    const known = await deps.store.get({ ...scope, id: ingestJobId(scope, fileId) });
    const upload = await deps.catalog.getUpload(scope, params.id, params.uploadId);
    if (!upload)
      throw new Fault('NOT_FOUND', `There is no upload ${params.uploadId} in this dataset, or it has ended.`);
    const asked = { upload: params.uploadId, parts: body.parts };
    // The job has the id of the upload, which names it once already; the key adds what was asked for.
    const requestHash = key === undefined ? undefined : namedBy(call.caller, asked, key).requestHash;
    if (known) {
      const reply = await jobReplyUnderKey(call, { row: known, created: false }, known.requestHash && requestHash);
      return withFile(reply, { dataset: params.id, id: fileId });
    }
    // Before they are joined: when there is room again, it can be completed.
    await requireRoom(deps.catalog, scope, { bytes: upload.size, most: deps.limits.workspaceBytes });
    await joinParts(deps, upload, checkedParts(body.parts, upload.partCount));
    const { dataset, name, size, objectKey } = upload;
    const file = { ...scope, dataset, id: fileId, name, size, objectKey, createdAt: deps.clock.now() };
    await keepFile(deps, file);
    return submitIngest(call, file, ingestSubmission(file, readingOf(upload), { requestHash }));
  },
});

export const uploadRoutes = [createUpload, completeUpload];
