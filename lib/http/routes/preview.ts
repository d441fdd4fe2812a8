import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { FileId } from '../../core/ids.ts';
import { warningSchema } from '../../ingest/manifest-schema.ts';
import type { Preview, PreviewRequest } from '../../ingest/preview.ts';
import { checkedFileName } from '../../ingest/file-name.ts';
import { checkedBytes, nameOf, readFile } from '../read-file.ts';
import { readingFields, readingInQuery, readingQuery } from '../read-options.ts';
import { defineQueryRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';
import { datasetOf, datasetParams } from './datasets.ts';

const previewSchema = z
  .lazy(() =>
    z.strictObject({
      format: z.string(),
      compression: z.string(),
      tables: z.array(
        z.strictObject({
          name: z.string(),
          columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
          rowCount: z.int().meta({ description: 'Of the whole table.' }),
          rows: z.array(z.array(z.unknown())).meta({ description: 'The first 50, values as queries answer them.' }),
          warnings: z.array(warningSchema),
        }),
      ),
      further: z.array(z.string()).meta({ description: 'Names of tables beyond the first ten.' }),
      warnings: z.array(warningSchema).meta({ description: 'Of the file as a whole.' }),
    }),
  )
  .meta({ id: 'Preview' });

const answers = { 200: { description: 'What the file would become.', schema: previewSchema } };

async function reply(preview: Preview | undefined, request: PreviewRequest) {
  if (preview === undefined) throw new Fault('ROUTE_NOT_FOUND', 'Another function serves this route.');
  return { status: 200 as const, body: await preview(request) };
}

const previewUpload = defineQueryRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/preview',
  operationId: 'previewUpload',
  summary: 'See what a file of up to 4 MiB would become',
  description: 'The file is read as an upload with the same name and options would be, and nothing of it is kept.',
  access: 'datasets:write',
  servedBy: 'query',
  request: {
    params: datasetParams,
    query: z.strictObject({
      name: z.string().optional().meta({ description: 'The file’s name; its extension says the format.' }),
      table: readingQuery.table,
      options: readingQuery.options,
    }),
    upload: { description: 'The raw bytes, or multipart/form-data with one part named `file`.' },
  },
  answers,
  problems: ['NAME_NOT_ALLOWED', 'EMPTY_FILE', 'MALFORMED_UPLOAD'],
  handle: async ({ deps, caller, params, query, request }) => {
    if (query.name !== undefined) checkedFileName(query.name);
    const { table, options } = readingInQuery(query);
    await datasetOf(deps.catalog, caller, params.id);
    const given = await readFile(request, params.id, deps.limits);
    const name = nameOf(query.name, given.name);
    const content = checkedBytes(given.bytes ?? new Uint8Array(), request);
    return reply(deps.preview, { name, content, table, options, signal: request.signal });
  },
});

const previewFile = defineQueryRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/files/{fileId}/preview',
  operationId: 'previewFile',
  summary: 'See what a stored file of up to 32 MiB would become under other options',
  access: 'datasets:write',
  servedBy: 'query',
  request: {
    params: datasetParams.extend({ fileId: idSchema<FileId>('file') }),
    body: z.lazy(() => z.strictObject({ table: readingFields.table, options: readingFields.options })),
    bodyOptional: true,
  },
  answers,
  problems: ['PREVIEW_LIMIT', 'INPUT_UNREADABLE'],
  handle: async ({ deps, caller, params, body: { table, options }, request }) => {
    const { tenant, workspace } = caller;
    const file = await deps.catalog.getFile({ tenant, workspace }, params.id, params.fileId);
    if (!file) throw new Fault('NOT_FOUND', `There is no file ${params.fileId} in this dataset.`);
    return reply(deps.preview, { name: file.name, content: file, table, options, signal: request.signal });
  },
});

export const previewRoutes = [previewUpload, previewFile];
