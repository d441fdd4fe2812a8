import { createHash } from 'node:crypto';
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { type DatasetId, derivedId, type FileId, newId } from '../../core/ids.ts';
import { fileKey } from '../../core/objects.ts';
import { toIso } from '../../core/time.ts';
import type { FileRecord } from '../../ingest/catalog.ts';
import { isMultipart, isText, readBytes } from '../body.ts';
import type { Caller } from '../auth.ts';
import type { HttpLimits } from '../deps.ts';
import { ingestAnswers, ingestSubmission, withFile } from '../ingest-file.ts';
import { keyHeader, keyOf, type Named, namedBy } from '../idempotency.ts';
import { MULTIPART_OVERHEAD } from '../limits.ts';
import { type FilePart, readFilePart } from '../multipart.ts';
import { checkedFileName } from '../names.ts';
import { type Reading, readingFields, readingInQuery, readingOf, readingQuery } from '../read-options.ts';
import { type Call, defineRoute } from '../route.ts';
import { idSchema, isoTime } from '../schemas.ts';
import { jobReplyUnderKey, preferHeader, submitReply } from '../submit.ts';
import { jobNamed } from '../submit-asked.ts';
import { datasetOf, datasetParams } from './datasets.ts';

const fileSchema = z
  .strictObject({
    id: idSchema<FileId>('file'),
    datasetId: idSchema<DatasetId>('ds'),
    name: z.string(),
    size: z.int().meta({ description: 'Bytes.' }),
    createdAt: isoTime,
  })
  .meta({ id: 'File' });

const fileView = ({ id, dataset, name, size, createdAt }: FileRecord): z.input<typeof fileSchema> => ({
  id,
  datasetId: dataset,
  name,
  size,
  createdAt: toIso(createdAt),
});

/** The bytes that a text body loses where it passes API Gateway are replaced by this character. */
const REPLACEMENT = Buffer.from('\uFFFD');

function tooLarge(dataset: DatasetId, limit: number): Fault {
  const uploadRoute = `/v1/datasets/${dataset}/uploads`;
  return new Fault('BODY_TOO_LARGE', `A direct upload may have at most ${limit} bytes; ${uploadRoute} takes more.`, {
    extra: { limit, uploadRoute },
  });
}

/** The file that the request carries, raw or as the one part of a form; its name comes from the query or from the part. */
async function readFile(request: Request, dataset: DatasetId, limits: HttpLimits): Promise<Partial<FilePart>> {
  const limit = limits.directUpload;
  const refuse = () => tooLarge(dataset, limit);
  if (!isMultipart(request)) return { bytes: await readBytes(request, limit, refuse) };
  const body = await readBytes(request, limit + MULTIPART_OVERHEAD, refuse);
  const part = await readFilePart(body, request.headers.get('content-type') ?? '');
  if (part.bytes.length > limit) throw refuse();
  return part;
}

function checkedBytes(bytes: Uint8Array, request: Request): Uint8Array {
  if (bytes.length === 0) throw new Fault('EMPTY_FILE', 'The body is empty.');
  if (isText(request) && Buffer.from(bytes).includes(REPLACEMENT))
    throw new Fault(
      'MALFORMED_UPLOAD',
      'Sent as text, it may have been altered on the way: use application/octet-stream.',
    );
  return bytes;
}

function nameOf(asked: string | undefined, part: string | undefined): string {
  const name = asked ?? part;
  if (name !== undefined) return checkedFileName(name);
  const errors = [{ pointer: '#/query/name', detail: 'A raw upload needs the name of its file.' }];
  throw new Fault('VALIDATION_FAILED', 'The query parameter name is missing.', { errors });
}

/** What tells an upload from another one under its key: not how it was packed. */
const askedOf = (dataset: DatasetId, name: string, reading: Reading, bytes: Uint8Array) => ({
  dataset,
  name,
  ...reading,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/** Of the request as well as the key: bytes that another request left behind before it became a job are never taken for these. */
const fileNamed = ({ id, requestHash }: Named): FileId => derivedId('file', id, requestHash);

const uploadFile = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/files',
  operationId: 'uploadFile',
  summary: 'Upload a file of up to 4 MiB and ingest it',
  description:
    'A larger body gets 413 BODY_TOO_LARGE, which names the route for presigned parts; above about 4.4 MiB it may be the ' +
    'gateway that answers 413, with a body of its own. Send application/octet-stream: a text/* body passes as text.',
  access: 'datasets:write',
  servedBy: 'api',
  request: {
    params: datasetParams,
    query: z.strictObject({
      name: z.string().optional().meta({
        description: 'The file’s name; its extension says the format. Needed unless a multipart part carries it.',
      }),
      ...readingQuery,
    }),
    headers: { ...keyHeader, ...preferHeader },
    upload: { description: 'The raw bytes, or multipart/form-data with one part named `file`.' },
  },
  answers: ingestAnswers,
  problems: ['NAME_NOT_ALLOWED', 'EMPTY_FILE', 'MALFORMED_UPLOAD', 'IDEMPOTENCY_KEY_REUSED'],
  handle: async (call) => {
    const { deps, caller, params, query, request } = call;
    if (query.name !== undefined) checkedFileName(query.name);
    const reading = readingInQuery(query);
    await datasetOf(deps.catalog, caller, params.id);
    const given = await readFile(request, params.id, deps.limits);
    const name = nameOf(query.name, given.name);
    const bytes = checkedBytes(given.bytes ?? new Uint8Array(), request);
    const { tenant, workspace } = caller;
    const createdAt = deps.clock.now();
    const key = keyOf(request);
    const named = key === undefined ? undefined : namedBy(caller, askedOf(params.id, name, reading, bytes), key);
    const id = named ? fileNamed(named) : newId('file', createdAt, deps.chance);
    const earlier = named && (await jobNamed(deps, caller, named));
    if (earlier) {
      const reply = await jobReplyUnderKey(call, { row: earlier, created: false }, named.requestHash);
      return withFile(reply, { dataset: params.id, id });
    }
    const objectKey = fileKey(caller, params.id, id);
    await deps.objects.putOnce(objectKey, bytes);
    const file = { tenant, workspace, dataset: params.id, id, name, size: bytes.length, objectKey, createdAt };
    await deps.catalog.putFile(file);
    return withFile(await submitReply(call, ingestSubmission(file, reading, named)), file);
  },
});

async function fileOf(
  { deps, caller }: Pick<Call, 'deps'> & { readonly caller: Caller },
  dataset: DatasetId,
  id: FileId,
) {
  const { tenant, workspace } = caller;
  const file = await deps.catalog.getFile({ tenant, workspace }, dataset, id);
  if (!file) throw new Fault('NOT_FOUND', `There is no file ${id} in this dataset.`);
  return file;
}

const getFile = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/files/{fileId}',
  operationId: 'getFile',
  summary: 'Get what is known of a file',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params: datasetParams.extend({ fileId: idSchema<FileId>('file') }) },
  answers: { 200: { description: 'The file.', schema: fileSchema } },
  handle: async (call) => ({ status: 200, body: fileView(await fileOf(call, call.params.id, call.params.fileId)) }),
});

const ingestFile = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/files/{fileId}/ingest',
  operationId: 'ingestFile',
  summary: 'Read a stored file again, under other options or into another table',
  description:
    'A job of the kind `ingest`, as an upload makes one: the file is read from where it is stored, and each of its tables gets a new snapshot.',
  access: 'datasets:write',
  servedBy: 'api',
  request: {
    params: datasetParams.extend({ fileId: idSchema<FileId>('file') }),
    headers: { ...keyHeader, ...preferHeader },
    body: z.lazy(() => z.strictObject(readingFields)),
    bodyOptional: true,
  },
  answers: ingestAnswers,
  problems: ['IDEMPOTENCY_KEY_REUSED'],
  handle: async (call) => {
    const { deps, caller, params, body, request } = call;
    const file = await fileOf(call, params.id, params.fileId);
    const reading = readingOf(body);
    const key = keyOf(request);
    const named =
      key === undefined
        ? { id: newId('job', deps.clock.now(), deps.chance) }
        : namedBy(caller, { dataset: params.id, file: file.id, ...reading }, key);
    return withFile(await submitReply(call, ingestSubmission(file, reading, named)), file);
  },
});

export const fileRoutes = [uploadFile, getFile, ingestFile];
