// Follows one job by its events, with a line for each stage as it is committed.
import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from './api.ts';
import { done, failed, faint } from './show.ts';

interface Event {
  readonly version: number;
  readonly rule: string;
  readonly status: string;
  readonly stage?: string;
}

export interface FinishedJob {
  readonly id: string;
  readonly status: string;
  readonly result?: IngestResult;
  readonly error?: { readonly code: string; readonly detail: string };
}

export interface IngestResult {
  readonly tables: readonly { readonly table: string; readonly tableName: string; readonly rowCount: number }[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

const terminal = ['succeeded', 'failed', 'cancelled', 'dead'];
const patience = 120_000;

/** Resolves with the job once it is finished; throws when it is not within two minutes. */
export async function follow(api: Api, id: string): Promise<FinishedJob> {
  const started = performance.now();
  const seen = new Set<number>();
  while (performance.now() - started < patience) {
    const job = await api.get<FinishedJob>(`/v1/jobs/${id}`);
    const events = await api.get<{ data: Event[] }>(`/v1/jobs/${id}/events`);
    for (const event of events.data) if (!seen.has(event.version)) tell(seen, event, performance.now() - started);
    if (terminal.includes(job.status)) return finish(job, performance.now() - started);
    await pause(150);
  }
  throw new Error(`The job ${id} did not finish within ${patience / 1000} s.`);
}

/** Which rules are worth a line: a begin always comes before the checkpoint of its stage, and the settle has its own line. */
const quiet = new Set(['begin', 'succeed']);

function tell(seen: Set<number>, event: Event, elapsed: number): void {
  seen.add(event.version);
  if (quiet.has(event.rule)) return;
  done(`${sentenceOf(event).padEnd(28)} ${faint(`${event.status}, ${(elapsed / 1000).toFixed(1)} s`)}`);
}

function sentenceOf({ rule, stage }: Event): string {
  if (rule !== 'checkpoint') return rule;
  return stage === undefined ? 'handed to its execution' : `stage ${stage} committed`;
}

function finish(job: FinishedJob, elapsed: number): FinishedJob {
  const time = faint(`${(elapsed / 1000).toFixed(1)} s`);
  if (job.status === 'succeeded') done(`${'published'.padEnd(28)} ${time}`);
  else failed(`${job.status}: ${job.error?.code ?? ''} ${job.error?.detail ?? ''} ${time}`);
  return job;
}
