// From bytes that are stored to an ingest job: the file's row, then the job, both under ids that a repeated call works out again.
import { type DatasetId, derivedId, type FileId, type JobId, type Scope } from '../core/ids.ts';
import { objectKey } from '../core/objects.ts';
import type { FileRecord } from '../ingest/catalog.ts';

export const sourceKey = ({ tenant, workspace }: Scope, dataset: DatasetId, file: FileId): string =>
  objectKey(tenant, workspace, 'datasets', dataset, 'files', file, 'source');

/** One file is ingested by one job, however often its upload is completed. */
export const ingestJobId = ({ tenant, workspace }: Scope, file: FileId): JobId =>
  derivedId('job', tenant, workspace, 'ingest', file);

/** What the ingest kind is submitted with. */
export const ingestSubmission = (file: FileRecord) => ({
  kind: 'ingest',
  id: ingestJobId(file, file.id),
  input: { dataset: file.dataset, file: file.id, name: file.name },
});
