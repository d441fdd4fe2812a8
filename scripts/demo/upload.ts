// The two ways in: the bytes in one request, or in presigned parts that go to the object store directly.
import { open, readFile } from 'node:fs/promises';
import type { Api } from './api.ts';
import type { DemoFile } from './files.ts';

/** The least that S3 takes, so that a file of 13 MB goes in three parts. */
const PART_SIZE = 5 * 2 ** 20;

interface Started {
  readonly id: string;
}

interface UploadPlan {
  readonly id: string;
  readonly partSize: number;
  readonly parts: readonly { readonly number: number; readonly url: string }[];
}

/** Sends the file in one request; answers the job's id. */
export async function uploadDirectly(api: Api, dataset: string, file: DemoFile): Promise<string> {
  const bytes = await readFile(file.path);
  const job = await api.post<Started>(`/v1/datasets/${dataset}/files?name=${encodeURIComponent(file.name)}`, bytes);
  return job.id;
}

/** Sends the file in presigned parts, one in memory at a time; answers the job's id. */
export async function uploadInParts(api: Api, dataset: string, file: DemoFile): Promise<string> {
  await using handle = await open(file.path);
  const { size } = await handle.stat();
  const plan = await api.post<UploadPlan>(`/v1/datasets/${dataset}/uploads`, {
    name: file.name,
    size,
    partSize: PART_SIZE,
  });
  const parts: { number: number; etag: string }[] = [];
  for (const { number, url } of plan.parts) {
    const start = (number - 1) * plan.partSize;
    const length = Math.min(plan.partSize, size - start);
    const { buffer } = await handle.read(new Uint8Array(length), 0, length, start);
    const answer = await fetch(url, { method: 'PUT', body: buffer });
    if (!answer.ok) throw new Error(`Part ${number} was refused: ${answer.status} ${await answer.text()}`);
    parts.push({ number, etag: answer.headers.get('etag') ?? '' });
  }
  const job = await api.post<Started>(`/v1/datasets/${dataset}/uploads/${plan.id}/complete`, { parts });
  return job.id;
}
