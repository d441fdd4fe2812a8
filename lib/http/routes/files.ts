import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { type DatasetId, type FileId, newId } from '../../core/ids.ts';
import { toIso } from '../../core/time.ts';
import type { FileRecord } from '../../ingest/catalog.ts';
import type { Caller } from '../auth.ts';
import { ingestAnswers, ingestBytes, ingestSubmission, submitIngest } from '../ingest-file.ts';
import { keyHeader, keyOf, namedBy } from '../idempotency.ts';
import { checkedFileName } from '../../ingest/file-name.ts';
import { checkedBytes, nameOf, readFile } from '../read-file.ts';
import { fileColumn, readingFields, readingInQuery, readingOf, readingQuery } from '../read-options.ts';
import { type Call, defineRoute } from '../route.ts';
import { idSchema, isoTime } from '../schemas.ts';
import { preferHeader } from '../submit.ts';
import { datasetOf, datasetParams } from './datasets.ts';

const fileSchema = z
  .strictObject({
    id: idSchema<FileId>('file'),
    datasetId: idSchema<DatasetId>('ds'),
    name: z.string(),
    size: z.int().meta({ description: 'Bytes.' }),
    files: z
      .int()
      .optional()
      .meta({ description: 'Of a list of files that are one table: how many; `size` is that of the list.' }),
    createdAt: isoTime,
  })
  .meta({ id: 'File' });

const fileView = ({ id, dataset, name, size, files, createdAt }: FileRecord): z.input<typeof fileSchema> => ({
  id,
  datasetId: dataset,
  name,
  size,
  ...(files !== undefined && { files }),
  createdAt: toIso(createdAt),
});

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
  problems: [
    'NAME_NOT_ALLOWED',
    'EMPTY_FILE',
    'MALFORMED_UPLOAD',
    'STORAGE_QUOTA_EXCEEDED',
    'TABLE_BUSY',
    'IDEMPOTENCY_KEY_REUSED',
    'FLOW_DISABLED',
  ],
  handle: async (call) => {
    const { deps, caller, params, query, request } = call;
    if (query.name !== undefined) checkedFileName(query.name);
    const reading = readingInQuery(query);
    await datasetOf(deps.catalog, caller, params.id);
    const given = await readFile(request, params.id, deps.limits);
    const name = nameOf(query.name, given.name);
    const bytes = checkedBytes(given.bytes ?? new Uint8Array(), request);
    const key = keyOf(request);
    const file = { dataset: params.id, name, reading, bytes, key: key === undefined ? undefined : [key] };
    return (await ingestBytes(call, file)).reply;
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
    body: z.lazy(() => z.strictObject({ ...readingFields, fileColumn })),
    bodyOptional: true,
  },
  answers: ingestAnswers,
  problems: ['TABLE_BUSY', 'IDEMPOTENCY_KEY_REUSED', 'FLOW_DISABLED'],
  handle: async (call) => {
    const { deps, caller, params, body, request } = call;
    const file = await fileOf(call, params.id, params.fileId);
    const reading = readingOf(body);
    const key = keyOf(request);
    const named =
      key === undefined
        ? { id: newId('job', deps.clock.now(), deps.chance) }
        : namedBy(caller, { dataset: params.id, file: file.id, ...reading }, key);
    return submitIngest(call, file, ingestSubmission(file, reading, named));
  },
});

export const fileRoutes = [uploadFile, getFile, ingestFile];
