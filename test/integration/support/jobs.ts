// Following a job of the deployed stack: its row is the truth, its events say how it came about.
import type { JobEvent } from '../../../lib/job/ports.ts';
import type { JobRow } from '../../../lib/job/row.ts';
import { type JobStatus, isTerminal } from '../../../lib/job/status.ts';
import type { Cloud } from './cloud.ts';
import { type Patience, waitFor } from './wait.ts';

/** Submits over HTTP; answers the job's id. */
export async function submit({ http }: Cloud, kind: string, input: unknown, more: object = {}): Promise<string> {
  const answer = await http.post('/v1/jobs', { json: { kind, input, ...more } });
  if (answer.status !== 202) throw new Error(`The submit answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body.id as string;
}

/** The row once it is as asked. */
export function rowThat(
  cloud: Cloud,
  id: string,
  what: string,
  is: (row: JobRow) => boolean,
  patience?: Patience,
): Promise<JobRow> {
  const look = async () => {
    const row = await cloud.row(id);
    if (is(row)) return row;
    if (isTerminal(row.status)) throw new Error(`${id} ended as ${row.status} (${row.error?.detail}), not ${what}.`);
    return undefined;
  };
  return waitFor(`${id} to be ${what}`, look, patience);
}

/** The row once it has ended, in whatever status, and has submitted what a success owes: nothing changes it after that. */
export const ended = (cloud: Cloud, id: string, patience?: Patience): Promise<JobRow> =>
  waitFor(
    `${id} to be over`,
    async () => {
      const row = await cloud.row(id);
      return isTerminal(row.status) && row.owes === undefined && row;
    },
    patience,
  );

export const inStatus = (cloud: Cloud, id: string, status: JobStatus): Promise<JobRow> =>
  rowThat(cloud, id, status, (row) => row.status === status, { everyMs: 20 });

/** Every event of a job, once the relay has caught up with its row. */
export async function eventsOf(cloud: Cloud, row: JobRow): Promise<readonly JobEvent[]> {
  return waitFor(`the event of version ${row.version} of ${row.id}`, async () => {
    const { items } = await cloud.store.events(row, { limit: 100 });
    return items.at(-1)?.version === row.version && items;
  });
}

/** The rules of the events, oldest first; throws where a number is missing between them. */
export async function rulesOf(cloud: Cloud, row: JobRow): Promise<readonly string[]> {
  const events = await eventsOf(cloud, row);
  const first = events[0]?.version ?? 0;
  const gap = events.find((event, index) => event.version !== first + index);
  if (gap !== undefined) throw new Error(`The events of ${row.id} have a gap before ${gap.version}.`);
  return events.map(({ rule }) => rule);
}

export const countOf = (rules: readonly string[], rule: string): number => rules.filter((each) => each === rule).length;
