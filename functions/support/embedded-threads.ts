// The thread of the embedded process that surveys chunks of large files beside its own.
import { extname } from 'node:path';
import { createSurveyThreads, type SurveyThreads } from '../../lib/ingest/chunks/survey-threads.ts';

/** Started here, it is ready when the first large file comes. */
export function openSurveyThreads(): SurveyThreads {
  const file = `../../lib/ingest/chunks/survey-thread${extname(import.meta.url)}`;
  const threads = createSurveyThreads({ entry: new URL(file, import.meta.url) });
  threads.take()?.release();
  return threads;
}
