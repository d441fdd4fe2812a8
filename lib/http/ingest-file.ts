// From bytes that are stored to an ingest job: the file's row, then the job, both under ids that a repeated call works out again.
import { derivedId, type FileId, type JobId, type Scope } from '../core/ids.ts';
import type { FileRecord } from '../ingest/catalog.ts';
import { tableIdOf } from '../ingest/stages/place.ts';
import type { Named } from './idempotency.ts';
import type { Reading } from './read-options.ts';
import type { Answer, Reply } from './route.ts';
import { replayAnswer, submitAnswers } from './submit.ts';

/** One file is ingested by one job, however often its upload is completed. */
export const ingestJobId = ({ tenant, workspace }: Scope, file: FileId): JobId =>
  derivedId('job', tenant, workspace, 'ingest', file);

/** What the ingest kind is submitted with; `named` where a key says which job it is. */
export const ingestSubmission = (
  file: FileRecord,
  reading: Reading,
  { id = ingestJobId(file, file.id), ...named }: { readonly [K in keyof Named]?: Named[K] | undefined } = {},
) => ({
  kind: 'ingest',
  id,
  input: { dataset: file.dataset, file: file.id, name: file.name, ...reading },
  ...oneByOne(file, reading),
  ...named,
});

/** Who adds to a table builds on what is published of it: those wait for each other. */
function oneByOne(file: FileRecord, { mode = 'replace', table }: Reading) {
  if (mode === 'replace' || table === undefined) return {};
  return { concurrencyKey: { key: `table:${tableIdOf(file, file.dataset, table)}`, limit: 1 } };
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
