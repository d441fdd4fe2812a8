import * as z from 'zod';
import { toIso } from '../../core/time.ts';
import { statCounts } from '../../events/stat-bucket.ts';
import { readStats } from '../../events/stat-rows.ts';
import { aggregateStats, type Counts, type LaneStats, ratesOf, type Spread, statWindow } from '../../events/stats.ts';
import { laneSchema } from '../../job/row.ts';
import { defineRoute } from '../route.ts';
import { isoTime } from '../schemas.ts';

const countShape = z.strictObject(
  Object.fromEntries(statCounts.map((count) => [count, z.number()])) as Record<keyof Counts, z.ZodNumber>,
);
const spreadSchema = z.strictObject({
  count: z.int(),
  p50: z.int().optional(),
  p90: z.int().optional(),
  p99: z.int().optional(),
});

const laneStats = z
  .strictObject({
    kind: z.string(),
    lane: laneSchema,
    counts: countShape.meta({ description: '`failedAttempts` and `crashes` count runs, the others jobs.' }),
    ratesPerMinute: countShape.meta({ description: 'The counts, per minute of the window.' }),
    queueingMs: spreadSchema.meta({
      description: 'From when a job could start to its claim, ms; not of runs after a crash or a park.',
    }),
    runningMs: spreadSchema.meta({ description: 'From the last claim of a job to its end, ms.' }),
  })
  .meta({ id: 'LaneStats' });

const statsSchema = z
  .strictObject({
    from: isoTime,
    until: isoTime,
    approximate: z.literal(true),
    lanes: z.array(laneStats).meta({ description: 'By kind and lane; those of which nothing happened are left out.' }),
    minutes: z
      .array(z.strictObject({ at: isoTime, counts: countShape }))
      .meta({ description: 'All 60 minutes, the oldest first; the last one is not over.' }),
  })
  .meta({ id: 'Stats' });

const spreadView = ({ count, p50, p90, p99 }: Spread) => ({
  count,
  ...(p50 !== undefined && { p50 }),
  ...(p90 !== undefined && { p90 }),
  ...(p99 !== undefined && { p99 }),
});

const laneView = ({ kind, lane, counts, queueing, running }: LaneStats, window: Parameters<typeof ratesOf>[1]) => ({
  ...{ kind, lane, counts },
  ratesPerMinute: ratesOf(counts, window),
  queueingMs: spreadView(queueing),
  runningMs: spreadView(running),
});

export const getStats = defineRoute({
  method: 'GET',
  path: '/v1/stats',
  operationId: 'getStats',
  summary: 'What happened to the jobs of the workspace in the last hour',
  description:
    'Counted by the relay, a second or so after the fact, and approximate: a change that is relayed twice may count twice. Percentiles have the exact rank and a value within 10 %.',
  access: 'jobs:read',
  servedBy: 'api',
  request: {},
  answers: { 200: { description: 'The last hour.', schema: statsSchema } },
  handle: async ({ deps, caller: { tenant, workspace } }) => {
    const now = deps.clock.now();
    const stats = aggregateStats(await readStats(deps.store, { tenant, workspace }, statWindow(now)), now);
    const body: z.input<typeof statsSchema> = {
      from: toIso(stats.from),
      until: toIso(stats.until),
      approximate: true,
      lanes: stats.lanes.map((lane) => laneView(lane, stats)),
      minutes: stats.minutes.map(({ at, counts }) => ({ at: toIso(at), counts })),
    };
    return { status: 200, body, headers: { 'cache-control': 'private, max-age=5' } };
  },
});
