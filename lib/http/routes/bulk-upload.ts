import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { FileId } from '../../core/ids.ts';
import { type GivenFile, ingestBytes } from '../ingest-file.ts';
import { keyHeader, keyOf } from '../idempotency.ts';
import { jobSchema } from '../job-view.ts';
import { checkedFileName } from '../../ingest/file-name.ts';
import { problemBody, problemSchema } from '../problem.ts';
import { readFiles } from '../read-file.ts';
import { readingInQuery, readingQuery } from '../read-options.ts';
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

export const uploadFiles = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/files/bulk',
  operationId: 'uploadFiles',
  summary: 'Upload several files of up to 4 MiB together, and ingest each',
  description:
    'A multipart body with up to 50 parts named `files`. Each file is a job of its own: the answer is 200 whatever becomes of them, with a result for each in their order, ' +
    'and one that is refused keeps no other back. Under an Idempotency-Key each file has a key from its place.',
  access: 'datasets:write',
  servedBy: 'api',
  request: {
    params: datasetParams,
    query: z.strictObject({ options: readingQuery.options }),
    headers: keyHeader,
    upload: { description: 'multipart/form-data with parts named `files`.' },
  },
  answers: {
    200: {
      description: 'What became of each file.',
      schema: z.lazy(() => z.strictObject({ accepted: z.int(), refused: z.int(), results: z.array(bulkResult) })),
    },
  },
  problems: ['MALFORMED_UPLOAD'],
  handle: async (call) => {
    const { deps, caller, params, query, request, ids } = call;
    const reading = readingInQuery(query);
    await datasetOf(deps.catalog, caller, params.id);
    const files = await readFiles(request, params.id, { ...deps.limits, files: MOST_FILES });
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
