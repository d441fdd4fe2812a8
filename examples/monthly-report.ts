// A plain job: sums the orders of an uploaded CSV file by month and writes a report. It reads line by line and commits where it stands
// every so often, so a run that dies, or is stopped when its function's time is up, goes on there instead of at the start.
import { createInterface } from 'node:readline';
import { defineJob, fileKey, minutes, TerminalError } from 'millrace';
import * as z from 'zod';

const LINES_PER_CHECKPOINT = 10_000;

/** Where a run stands: lines that are done, and what they add up to, in cents by `YYYY-MM`. */
const stateSchema = z.object({ lines: z.int(), months: z.record(z.string(), z.int()) });
type State = z.infer<typeof stateSchema>;

export const monthlyReport = defineJob({
  kind: 'report.monthly',
  /** The ids that the routes of datasets and files answer. Columns: date (ISO), product, amount (`12.50`). */
  input: z.strictObject({ dataset: z.string(), file: z.string() }),
  timeout: minutes(30),
  /** A Lambda function of its own: examples/app.ts gives it its size. */
  function: 'reports',
  run: async (ctx, { dataset, file }) => {
    const source = await ctx.objects.read(fileKey(ctx.ref, dataset, file));
    if (source === undefined) throw new TerminalError(`The dataset ${dataset} has no file ${file}.`);
    let state = stateSchema.parse(ctx.cursor ?? { lines: 0, months: {} });
    const resumedAt = state.lines;
    let line = 0;
    for await (const text of createInterface({ input: source })) {
      ctx.signal.throwIfAborted();
      line += 1;
      if (line <= resumedAt) continue;
      state = { lines: line, months: line === 1 ? state.months : withOrder(state.months, text, line) };
      if (line % LINES_PER_CHECKPOINT !== 0) continue;
      ctx.progress(line, 0, 'lines read');
      await ctx.checkpoint(state);
    }
    const report = `${ctx.objectPrefix}/report.md`;
    await ctx.objects.putOnce(report, markdownOf(state));
    return { report, orders: Math.max(0, state.lines - 1), months: amounts(state) };
  },
});

function withOrder(months: State['months'], text: string, line: number): State['months'] {
  const [date = '', , amount = ''] = text.split(',');
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !/^\d+\.\d{2}$/.test(amount))
    throw new TerminalError(`Line ${line} is no order: ${text.slice(0, 80)}`);
  const month = date.slice(0, 7);
  return { ...months, [month]: (months[month] ?? 0) + Number(amount.replace('.', '')) };
}

const amounts = ({ months }: State): Record<string, string> =>
  Object.fromEntries(
    Object.entries(months)
      .toSorted()
      .map(([month, cents]) => [month, (cents / 100).toFixed(2)]),
  );

const markdownOf = (state: State): string =>
  [
    '| month | amount |',
    '| --- | ---: |',
    ...Object.entries(amounts(state)).map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n');
