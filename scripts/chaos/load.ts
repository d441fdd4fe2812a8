// Submitting while things break: whatever is not answered is sent again under the same key, until it is.
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../lib/core/time.ts';
import type { Work } from './work.ts';
import { csvOf } from './work.ts';

export interface Door {
  readonly url: string;
  readonly apiKey: string;
}

export interface Submitted {
  readonly id: string;
  readonly ends: Work['ends'];
}

const CALLERS = 8;
const GIVE_UP_MS = 300_000;

interface Answer {
  readonly status: number;
  readonly body: { readonly id?: string; readonly status?: string };
}

async function call(
  { url, apiKey }: Door,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
    body,
    signal: AbortSignal.timeout(60_000),
  });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

/** Sends until it is taken; throws for what no repetition will help. */
async function untilTaken(send: () => Promise<Answer>): Promise<string> {
  const until = performance.now() + GIVE_UP_MS;
  for (;;) {
    const answer = await send().catch(() => undefined);
    if (answer !== undefined && answer.status < 300 && answer.body.id !== undefined) return answer.body.id;
    if (answer !== undefined && answer.status < 500 && answer.status !== 429)
      throw new Error(`A submit was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
    if (performance.now() > until) throw new Error('A submit was not taken for five minutes.');
    await pause(500);
  }
}

/** Submits all, some side by side; `taken` is told of each. */
export async function submitAll(
  door: Door,
  work: readonly Work[],
  taken: (count: number) => void,
  atOnce = CALLERS,
): Promise<readonly Submitted[]> {
  const left = [...work];
  const submitted: Submitted[] = [];
  const caller = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { key, body, ends } = next;
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const id = await untilTaken(() => call(door, '/v1/jobs', JSON.stringify(body), headers));
      submitted.push({ id, ends });
      taken(submitted.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return submitted;
}

/** Uploads small files, each to a table of its own: runs of the ingest pipeline. */
export async function ingestAll(door: Door, count: number): Promise<readonly Submitted[]> {
  const json = { 'content-type': 'application/json' };
  const dataset = await untilTaken(() =>
    call(door, '/v1/datasets', JSON.stringify({ name: `chaos ${systemClock.now()}` }), json),
  );
  const submitted: Submitted[] = [];
  for (let index = 0; index < count; index++) {
    const path = `/v1/datasets/${dataset}/files?name=t${index}.csv`;
    const id = await untilTaken(() => call(door, path, csvOf(index), { 'content-type': 'text/csv' }));
    submitted.push({ id, ends: 'succeeded' });
  }
  return submitted;
}
