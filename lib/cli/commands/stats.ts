// The last hour: a row for each kind and lane, and a line of bars for the hour by minute.
import * as z from 'zod';
import { type Context, printJson } from '../context.ts';
import { shortDuration } from '../format.ts';
import { type Io, paint } from '../io.ts';
import { type Column, isNarrow, renderTable } from '../table.ts';

const counts = z.looseObject({
  submitted: z.number(),
  started: z.number(),
  parked: z.number(),
  failedAttempts: z.number(),
  crashes: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  cancelled: z.number(),
  dead: z.number(),
});
const spread = z.object({
  count: z.number(),
  p50: z.number().optional(),
  p90: z.number().optional(),
  p99: z.number().optional(),
});
const laneSchema = z.looseObject({
  kind: z.string(),
  lane: z.string(),
  counts,
  ratesPerMinute: counts,
  queueingMs: spread,
  runningMs: spread,
});
const statsSchema = z.looseObject({
  lanes: z.array(laneSchema),
  minutes: z.array(z.object({ at: z.string(), counts })),
});
type Lane = z.output<typeof laneSchema>;

const number = (value: number): string => (value === 0 ? '' : value.toLocaleString('en'));
const spreadText = (values: readonly (number | undefined)[]): string =>
  values.every((value) => value === undefined) ? '' : values.map((value) => shortDuration(value ?? 0)).join(' ');

/** A number that is cut is another number: where there is no room, the percentile in the middle goes. */
const spreadColumn = (
  io: Pick<Io, 'columns'>,
  name: string,
  of: (lane: Lane) => z.output<typeof spread>,
): Column<Lane> => {
  const at = (lane: Lane) => (isNarrow(io) ? [of(lane).p50, of(lane).p99] : [of(lane).p50, of(lane).p90, of(lane).p99]);
  const title = `${name} ${isNarrow(io) ? '50 99' : '50 90 99'}`;
  return { title, text: (lane) => spreadText(at(lane)), right: true, whole: true };
};

const columnsFor = (io: Pick<Io, 'columns'>): readonly Column<Lane>[] => [
  { title: 'kind', text: ({ kind }) => kind },
  { title: 'lane', text: ({ lane }) => (isNarrow(io) && lane === 'default' ? '' : lane) },
  { title: 'in', text: (lane) => number(lane.counts.submitted), right: true, whole: true },
  {
    title: '/min',
    text: (lane) => number(Math.round(lane.ratesPerMinute.submitted * 10) / 10),
    right: true,
    wide: true,
  },
  { title: 'ok', text: (lane) => number(lane.counts.succeeded), style: () => 'green', right: true, whole: true },
  { title: 'bad', text: (lane) => number(lane.counts.failed + lane.counts.dead), style: () => 'red', right: true },
  { title: 'stop', text: (lane) => number(lane.counts.cancelled), right: true },
  { title: 'retry', text: (lane) => number(lane.counts.failedAttempts), style: () => 'yellow', right: true },
  { title: 'crash', text: (lane) => number(lane.counts.crashes), style: () => 'yellow', right: true },
  spreadColumn(io, 'wait', ({ queueingMs }) => queueingMs),
  spreadColumn(io, 'run', ({ runningMs }) => runningMs),
];

const bars = ' ▁▂▃▄▅▆▇█';

/** A bar a minute, the highest of them full; one that is not zero is seen. */
function sparkline(values: readonly number[]): string {
  const most = Math.max(1, ...values);
  return values
    .map((value) => bars[value === 0 ? 0 : Math.max(1, Math.round((value / most) * (bars.length - 1)))])
    .join('');
}

export async function showStats(context: Context): Promise<void> {
  const answer = await context.client.get('/v1/stats');
  if (context.json) return printJson(context, answer);
  const { lanes, minutes } = statsSchema.parse(answer);
  if (lanes.length === 0) return context.io.err('Nothing happened in the last hour.\n');
  const ended = minutes.map(
    ({ counts: { succeeded, failed, dead, cancelled } }) => succeeded + failed + dead + cancelled,
  );
  const bad = minutes.map(({ counts: { failed, dead } }) => failed + dead);
  const lines = [
    ['submitted', minutes.map(({ counts: { submitted } }) => submitted), undefined],
    ['ended', ended, 'green'],
    ['failed', bad, 'red'],
  ] as const;
  const hour = lines.map(
    ([name, values, style]) =>
      `${name.padEnd(9)} ${paint(context.io, style, sparkline(values))} ≤ ${Math.max(...values)}/min`,
  );
  context.io.out(`${renderTable(context.io, columnsFor(context.io), lanes)}\n\n${hour.join('\n')}\n`);
}
