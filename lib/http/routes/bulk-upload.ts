import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { FileId } from '../../core/ids.ts';
import { type GivenFile, ingestAnswers, ingestBytes } from '../ingest-file.ts';
import { keyHeader, keyOf } from '../idempotency.ts';
import { jobSchema } from '../job-view.ts';
import { checkedFileName } from '../../ingest/file-name.ts';
import { problemBody, problemSchema } from '../problem.ts';
import { readFiles } from '../read-file.ts';
import { uploadAsOneTable } from '../one-table.ts';
import { fileColumn, misfit, readingInQuery, readingQuery } from '../read-options.ts';
import { defineRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';
import type { SubmitCall } from '../submit.ts';
import { datasetOf, datasetParams } from './datasets.ts';

/** Files of one request. */
const MOST_FILES = 50;

const bulkResult = z.lazy(() =>
  z
    .union([
      z.strictObject({
        name: z.string(),
        status: z.literal('accepted'),
        fileId: idSchema<FileId>('file'),
        job: jobSchema,
      }),
      z.strictObject({ name: z.string(), status: z.literal('refused'), problem: problemSchema }),
    ])
    .meta({ id: 'UploadResult' }),
);

type Result = z.input<typeof bulkResult>;

async function uploadOne(
  call: SubmitCall,
  given: GivenFile,
  problemOf: (thrown: unknown) => z.output<typeof problemSchema>,
): Promise<Result> {
  const { name, bytes } = given;
  try {
    if (bytes.length === 0) throw new Fault('EMPTY_FILE', 'The file is empty.');
    const { id, reply } = await ingestBytes(call, { ...given, name: checkedFileName(name) });
    return { name, status: 'accepted', fileId: id, job: reply.body as z.input<typeof jobSchema> };
  } catch (thrown) {
    return { name, status: 'refused', problem: problemOf(thrown) };
  }
}

/** What is said of one table cannot hold for many. Throws the Fault VALIDATION_FAILED. */
function refuseOthers({ options: _options, ...others }: Readonly<Record<string, unknown>>): void {
  const [field] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (field !== undefined) throw misfit('query', field, `${field} goes with as=one-table.`);
}

export const uploadFiles = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/files/bulk',
  operationId: 'uploadFiles',
  summary: 'Upload several files of up to 4 MiB together, and ingest each, or all as one table',
  description:
    'A multipart body with up to 50 parts named `files`. Each file is a job of its own: the answer is 200 whatever becomes of them, with a result for each in their order, ' +
    'and one that is refused keeps no other back. Under an Idempotency-Key each file has a key from its place. ' +
    'With `as=one-table` the files become one table, by one job, which 202 answers; it takes `table`, and one that is refused refuses all.',
  access: 'datasets:write',
  servedBy: 'api',
  request: {
    params: datasetParams,
    query: z.strictObject({
      as: z.enum(['one-table']).optional().meta({ description: 'Without it, each file is a table of its own.' }),
      ...readingQuery,
      fileColumn,
    }),
    headers: keyHeader,
    upload: { description: 'multipart/form-data with parts named `files`.' },
  },
  answers: {
    200: {
      description: 'What became of each file.',
      schema: z.lazy(() => z.strictObject({ accepted: z.int(), refused: z.int(), results: z.array(bulkResult) })),
    },
    202: ingestAnswers[202],
  },
  problems: ['MALFORMED_UPLOAD', 'NAME_NOT_ALLOWED', 'EMPTY_FILE', 'TABLE_BUSY', 'IDEMPOTENCY_KEY_REUSED'],
  handle: async (call) => {
    const { deps, caller, params, query, request, ids } = call;
    const { as, ...others } = query;
    if (as === undefined) refuseOthers(others);
    const reading = readingInQuery(others);
    await datasetOf(deps.catalog, caller, params.id);
    const files = await readFiles(request, params.id, { ...deps.limits, files: MOST_FILES });
    if (as === 'one-table') return uploadAsOneTable(call, params.id, reading, files);
    const key = keyOf(request);
    const path = new URL(request.url).pathname;
    const results: Result[] = [];
    for (const [at, file] of files.entries()) {
      const own = key === undefined ? undefined : ['bulk', key, String(at)];
      const given = { dataset: params.id, reading, key: own, ...file };
      results.push(await uploadOne(call, given, (thrown) => problemBody(thrown, { ids, path, log: deps.log })));
    }
    const refused = results.filter(({ status }) => status === 'refused').length;
    return { status: 200, body: { accepted: results.length - refused, refused, results } };
  },
});
