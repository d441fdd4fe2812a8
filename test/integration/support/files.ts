// Files of the deployed stack: as a caller uploads them, or laid down without a job.
import { systemChance } from '../../../lib/core/chance.ts';
import { must } from '../../../lib/core/check.ts';
import { type DatasetId, newId } from '../../../lib/core/ids.ts';
import { systemClock } from '../../../lib/core/time.ts';
import { fileKey } from '../../../lib/core/objects.ts';
import type { FileRecord, TableRecord } from '../../../lib/ingest/catalog.ts';
import type { Manifest } from '../../../lib/ingest/manifest-schema.ts';
import { isPublished, publishedRef, readManifest } from '../../../lib/ingest/manifest.ts';
import { type Cloud, scope } from './cloud.ts';

export const newDataset = ({ http }: Cloud): Promise<string> =>
  http.newDataset(newId('req', systemClock.now(), systemChance));

/** Rows of four columns whose text takes the reader a while: quotes, commas and line breaks within values. */
export function slowCsv(rows: number): Buffer {
  const lines = Array.from(
    { length: rows },
    (_, row) =>
      `${row},"a ""quoted"" value, and\nits second line ${row % 97}",${(row % 1000) / 8},2025-01-${(row % 28) + 11}`,
  );
  return Buffer.from(`id,note,amount,day\n${lines.join('\n')}\n`);
}

/** Uploads in presigned parts; answers the job's id. */
export async function ingestInParts({ http }: Cloud, dataset: string, name: string, bytes: Buffer): Promise<string> {
  const { complete } = await http.sendParts(dataset, name, bytes);
  const { status, body } = await complete();
  if (status !== 202) throw new Error(`Completing the upload answered ${status}: ${JSON.stringify(body)}`);
  return body.id as string;
}

/** A file with its bytes and its row, as an upload leaves them before its job is submitted. */
export async function layFile(
  { store, objects }: Pick<Cloud, 'store' | 'objects'>,
  name: string,
  text: string,
): Promise<FileRecord> {
  const createdAt = systemClock.now();
  const dataset = newId('ds', createdAt, systemChance);
  await store.createDataset({ ...scope, id: dataset, name: dataset, createdAt });
  const id = newId('file', createdAt, systemChance);
  const objectKey = fileKey(scope, dataset, id);
  const file = { ...scope, dataset, id, name, size: Buffer.byteLength(text), objectKey, createdAt };
  await objects.putOnce(objectKey, text);
  await store.putFile(file);
  return file;
}

export interface PublishedTable {
  readonly table: TableRecord;
  readonly manifest: Manifest;
}

/** The one table of a dataset, which must be published. */
export async function publishedTable({ store, objects }: Cloud, dataset: string): Promise<PublishedTable> {
  const { items } = await store.listTables(scope, dataset as DatasetId, { limit: 10 });
  const table = must(items.find(isPublished), `a published table of ${dataset}`);
  const manifest = await readManifest({ catalog: store, objects }, publishedRef(table));
  return { table, manifest };
}
