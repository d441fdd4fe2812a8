// The ingest of large files in an app of its own whose runs can be started, stepped, and killed at a read or a write.
import { expect } from 'vitest';
import type { JobId } from '../../../lib/core/ids.ts';
import type { SurveyThreads } from '../../../lib/ingest/chunks/survey-threads.ts';
import { defaultReadLimits, type ReadLimits } from '../../../lib/ingest/reading/types.ts';
import type { Doorbell } from '../../../lib/job/ports.ts';
import { createWorker } from '../../../lib/job/run/worker.ts';
import { startIngestApp } from '../../support/ingest-app.ts';

/** The step of an ingest that reads. */
export const READ = 'receive+parse';
/** The step that looks and publishes. */
export const LOOK = 'reconcile+pii+sample+profile+relations+describe+index+publish';
const small: Partial<ReadLimits> = { chunkBytes: 600, chunksAtOnce: 1 };

export async function startApp(own: Partial<ReadLimits> = {}, surveyThreads?: SurveyThreads) {
  const limits = { ...defaultReadLimits, ...small, ...own };
  const app = await startIngestApp(() => ({ limits, surveyThreads }));
  const fetched: { key: string; bytes: number }[] = [];
  const { read } = app.objects;
  app.objects.read = async (key, start = 0, end) => {
    fetched.push({ key, bytes: (end ?? Number.NaN) - start });
    return read(key, start, end);
  };
  const sourceReads = () => fetched.splice(0).flatMap(({ key, bytes }) => (key.endsWith('/source') ? [bytes] : []));
  const sourceBytes = () => sourceReads().reduce((sum, bytes) => sum + bytes, 0);
  return { ...app, limits, sourceReads, sourceBytes };
}

export type App = Awaited<ReturnType<typeof startApp>>;

/** Uploads a file to a dataset of its own and answers the job of its ingest; nothing runs yet. */
export async function submitFile(
  app: App,
  name: string,
  body: string | Uint8Array<ArrayBuffer>,
  query?: Readonly<Record<string, string>>,
): Promise<{ readonly id: JobId; readonly dataset: string }> {
  const dataset = await app.dataset();
  const sent = await app.sendFile(dataset, name, body, query);
  expect(sent.status).toBe(202);
  return { id: sent.body.id, dataset };
}

/** Hears the doorbell of a job; answers the run that it started. */
export async function start(app: App, id: JobId): Promise<Doorbell> {
  const at = app.bells.findLastIndex(({ ref }) => ref.id === id);
  const [bell] = at < 0 ? [] : app.bells.splice(at, 1);
  if (bell === undefined) throw new Error('nothing was rung');
  const heard = await createWorker(app.engine).hear(bell);
  if (heard.kind !== 'started') throw new Error(`the doorbell led to ${heard.kind}`);
  return { ref: heard.claim.ref, epoch: heard.claim.epoch };
}

/** From then on, the `nth` read of the source is `what` comes to instead. */
export function atRead(app: App, nth: number, what: () => Promise<unknown>): void {
  const { read } = app.objects;
  let reads = 0;
  app.objects.read = async (key, from, to) => {
    if (key.endsWith('/source') && ++reads === nth) {
      app.objects.read = read;
      await what();
    }
    return read(key, from, to);
  };
}

/** From then on, the `nth` part is not stored: `what` comes to pass instead. */
export function atPart(app: App, nth: number, what: () => Promise<never>): void {
  const { moveFileOnce } = app.objects;
  let parts = 0;
  app.objects.moveFileOnce = async (key, path) => {
    if (!key.endsWith('.parquet') || ++parts !== nth) return moveFileOnce(key, path);
    app.objects.moveFileOnce = moveFileOnce;
    return what();
  };
}

/** The worker of a run dies: its lease is taken away, and what it does then counts for nothing. */
export const dies = (app: App, run: Doorbell) => async () => {
  await app.settleRun(run, 'killed');
  throw new Error('killed');
};
