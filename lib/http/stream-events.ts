// What has happened to a job, as JSON and as server-sent events. The gateway buffers, so a stream is an answer that ends with its first
// events, and the client asks again from the last one that it saw.
import * as z from 'zod';
import { between, minutes, seconds, toIso } from '../core/time.ts';
import { lostEnd } from '../events/gap.ts';
import type { JobEvent, Page, PageRequest } from '../job/ports.ts';
import { type JobRow, progressSchema, refOf } from '../job/row.ts';
import { isTerminal, jobStatuses } from '../job/status.ts';
import type { WatchDeps } from './deps.ts';
import { errorSchema, errorView } from './job-view.ts';
import { LIST_LIMIT, WAIT_SECONDS } from './limits.ts';
import type { Reply } from './route.ts';
import { isoTime } from './schemas.ts';
import { BUSY_SECONDS, lookUntil, waitInPlace } from './watch.ts';

export const eventSchema = z.lazy(() =>
  z
    .strictObject({
      version: z
        .int()
        .meta({ description: 'Rises by 1 with each event of a job; the first is the job’s start in ms.' }),
      rule: z.string().meta({
        description:
          'What happened, by the rule that was applied, e.g. `claim` or `succeed`. `relay.gap`: this change and those since the event before were not told of; the fields are of the job as it stood then, and the job itself says the rest. `relay.unreadable`: the change could not be read.',
      }),
      status: z.enum(jobStatuses),
      epoch: z.int().meta({ description: 'Raised by each claim.' }),
      at: isoTime.meta({ description: 'When the rule was applied, by the clock of whoever applied it.' }),
      reason: z.string().optional().meta({ description: 'What it was parked on, or why it was told to stop.' }),
      notBefore: isoTime.optional().meta({ description: 'When it goes on at the earliest.' }),
      lapsedAt: isoTime.optional().meta({ description: 'When the lease had ended that this took away.' }),
      stage: z.string().optional(),
      progress: progressSchema.optional(),
      error: errorSchema.optional(),
    })
    .meta({ id: 'JobEvent' }),
);

export const eventView = ({ version, rule, status, epoch, at, ...more }: JobEvent): z.input<typeof eventSchema> => ({
  ...{ version, rule, status, epoch, at: toIso(more.appliedAt ?? at) },
  ...(more.reason !== undefined && { reason: more.reason }),
  ...(more.notBefore !== undefined && { notBefore: toIso(more.notBefore) }),
  ...(more.lapsedAt !== undefined && { lapsedAt: toIso(more.lapsedAt) }),
  ...(more.stage !== undefined && { stage: more.stage }),
  ...(more.progress && { progress: more.progress }),
  ...(more.error && { error: errorView(more.error) }),
});

/** Events of a job in pages; at the end of them one that says so where the last changes were lost. Throws StoreUnavailable. */
export async function readEvents(
  deps: WatchDeps,
  row: JobRow,
  page: PageRequest & { readonly afterVersion?: number | undefined },
): Promise<Page<JobEvent>> {
  const found = await deps.store.events(row, page);
  if (found.cursor !== undefined || (page.cursor !== undefined && found.items.length === 0)) return found;
  const lost = lostEnd(deps, row, found.items.at(-1)?.version ?? page.afterVersion ?? 0);
  return lost === undefined ? found : { items: [...found.items, lost] };
}

/** How long the client waits before it asks again, ms. */
const SOON = 100;
/** An event row is there seconds after its change; what has not come by then of an ended job does not come. */
const RELAYED_BY = minutes(1);

const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

/** `after` yields to the header that an EventSource sends by itself. */
export async function streamEvents(
  deps: WatchDeps,
  row: JobRow,
  { request, after = 0 }: { readonly request: Request; readonly after?: number | undefined },
): Promise<Reply> {
  const afterVersion = lastSeen(request) ?? after;
  const look = async (): Promise<readonly JobEvent[] | undefined> => {
    const { items } = await readEvents(deps, row, { limit: LIST_LIMIT.max, afterVersion });
    return items.length === 0 ? undefined : items;
  };
  const there = await look();
  if (there !== undefined) return told(there);
  if (isOver(row, afterVersion, deps))
    return { status: 204, body: undefined, headers: { 'cache-control': 'no-cache' } };
  const wait = { ref: refOf(row), atMost: seconds(WAIT_SECONDS), signal: request.signal };
  const found = await waitInPlace(deps, () => lookUntil(deps, wait, look));
  if (found === 'busy') return { status: 200, body: `retry: ${BUSY_SECONDS * 1000}\n: too many wait\n\n`, headers };
  return told(found ?? []);
}

function lastSeen(request: Request): number | undefined {
  const text = request.headers.get('last-event-id') ?? '';
  return /^\d{1,16}$/.test(text) ? Number(text) : undefined;
}

const isOver = (row: JobRow, after: number, { clock }: Pick<WatchDeps, 'clock'>): boolean =>
  isTerminal(row.status) &&
  (after >= row.version || between(row.finishedAt ?? row.createdAt, clock.now()) > RELAYED_BY);

const told = (events: readonly JobEvent[]): Reply => ({
  status: 200,
  body: [
    `retry: ${SOON}\n`,
    ...(events.length === 0 ? [': nothing yet\n\n'] : []),
    ...events.map((event) => `id: ${event.version}\ndata: ${JSON.stringify(eventView(event))}\n\n`),
  ].join(''),
  headers,
});
