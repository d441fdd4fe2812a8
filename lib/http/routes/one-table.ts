import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, FileId } from '../../core/ids.ts';
import type { FileRecord } from '../../ingest/catalog.ts';
import { type ListedFile, MOST_LISTED } from '../../ingest/union/file-list.ts';
import { tableName } from '../../ingest/table-name.ts';
import { ingestAnswers } from '../ingest-file.ts';
import { keyHeader } from '../idempotency.ts';
import { filesBelow, ingestAsOne } from '../one-table.ts';
import { fileColumn, misfit, readingFields, readingOf } from '../read-options.ts';
import { defineRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';
import { preferHeader, type SubmitCall } from '../submit.ts';
import { datasetOf, datasetParams } from './datasets.ts';

/** Rows of files that are read at once. */
const AT_ONCE = 25;

const body = z.lazy(() =>
  z.strictObject({
    ...readingFields,
    table: tableName.meta({ description: 'The name of the table.' }),
    files: z
      .array(idSchema<FileId>('file'))
      .min(1)
      .max(MOST_LISTED)
      .optional()
      .meta({ description: 'Files of the dataset, in the order of the rows. Either this or `prefix`.' }),
    prefix: z.string().min(1).max(900).optional().meta({
      description: 'A folder below `batch/<tenant>/<workspace>/` in the bucket: all files in it, by name.',
    }),
    fileColumn,
  }),
);

export const ingestAsOneTable = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/files/one-table',
  operationId: 'ingestAsOneTable',
  summary: 'Ingest several stored files, or all below a prefix, as one table',
  description:
    'One job, one publish: columns by name, types by the values of all files. Up to 500 files; they are kept as a list, a file of its own, which the header Link names and which can be ingested again.',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: datasetParams, headers: { ...keyHeader, ...preferHeader }, body },
  answers: ingestAnswers,
  problems: ['NAME_NOT_ALLOWED', 'LIMIT_EXCEEDED', 'TABLE_BUSY', 'IDEMPOTENCY_KEY_REUSED'],
  handle: async (call) => {
    const { deps, caller, params, body: given } = call;
    const { files, prefix, ...others } = given;
    if ((files === undefined) === (prefix === undefined))
      throw misfit('', 'files', 'Either files or prefix says which files they are.');
    const reading = readingOf(others);
    await datasetOf(deps.catalog, caller, params.id);
    return ingestAsOne(call, {
      dataset: params.id,
      reading,
      asked: { files, prefix },
      files: async () =>
        files === undefined ? filesBelow(call, params.id, prefix ?? '') : storedFiles(call, params.id, files),
    });
  },
});

/** Throws the Faults NOT_FOUND, and VALIDATION_FAILED for one that is named twice, or is a list itself. */
async function storedFiles(call: SubmitCall, dataset: DatasetId, ids: readonly FileId[]): Promise<ListedFile[]> {
  const twice = ids.findIndex((id, place) => ids.indexOf(id) < place);
  if (twice >= 0) throw misfit('', `files/${twice}`, 'It is named twice: its rows would be there twice.');
  const found: FileRecord[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE)
    found.push(...(await Promise.all(ids.slice(from, from + AT_ONCE).map((id) => fileOf(call, dataset, id)))));
  const list = found.findIndex(({ files }) => files !== undefined);
  if (list >= 0) throw misfit('', `files/${list}`, 'It is a list of files itself.');
  return found.map(({ id, name, size, objectKey: key }) => ({ id, name, key, bytes: size }));
}

async function fileOf({ deps, caller }: SubmitCall, dataset: DatasetId, id: FileId): Promise<FileRecord> {
  const { tenant, workspace } = caller;
  const file = await deps.catalog.getFile({ tenant, workspace }, dataset, id);
  if (!file) throw new Fault('NOT_FOUND', `There is no file ${id} in this dataset.`);
  return file;
}
