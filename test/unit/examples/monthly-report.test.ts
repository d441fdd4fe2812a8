import { describe, expect, it } from 'vitest';
import { monthlyReport } from '../../../examples/monthly-report.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { fileKey } from '../../../lib/core/objects.ts';
import { systemClock } from '../../../lib/core/time.ts';
import type { JobContext } from '../../../lib/job/registry.ts';
import { createMemoryObjects } from '../../../lib/testing/memory-objects.ts';
import { aRef } from '../../contract/support/jobs.ts';

const input = { dataset: 'ds_1', file: 'file_1' };

/** A run over these lines; `stopAt` aborts it at that line, as the end of a function's time would. */
async function aRun(lines: readonly string[], stopAt?: number) {
  const ref = aRef();
  const objects = createMemoryObjects();
  await objects.putOnce(fileKey(ref, input.dataset, input.file), lines.join('\n'));
  const commits: unknown[] = [];
  const run = (epoch: number, signal: AbortSignal, cursor?: unknown) => {
    const stop = new AbortController();
    const ctx = {
      ...{ ref, epoch, cursor, objects, log: silentLog, clock: systemClock },
      signal: AbortSignal.any([signal, stop.signal]),
      objectPrefix: `${ref.tenant}/${ref.workspace}/jobs/${ref.id}/${epoch}`,
      progress: () => undefined,
      checkpoint: async (state: unknown) => {
        commits.push(state);
        if (commits.length === stopAt) stop.abort(new Error('out of time'));
      },
    };
    return monthlyReport.run(ctx as unknown as JobContext, input) as Promise<{ report: string; orders: number }>;
  };
  return { run, commits, objects };
}

const never = new AbortController().signal;
const order = (day: number) => `2026-0${1 + (day % 3)}-${String(1 + (day % 28)).padStart(2, '0')},tea,${day % 7}.05`;
const many = ['date,product,amount', ...Array.from({ length: 25_000 }, (_, day) => order(day))];

describe('the monthly report', () => {
  it('sums in cents, so that no amount is lost to rounding, and writes what it answers', async () => {
    const { run, objects } = await aRun([
      'date,product,amount',
      ...Array.from({ length: 10 }, () => '2026-01-01,tea,0.10'),
    ]);
    const result = await run(1, never);
    expect(result).toMatchObject({ orders: 10, months: { '2026-01': '1.00' } });
    expect(Buffer.from((await objects.get(result.report))!).toString()).toContain('| 2026-01 | 1.00 |');
  });

  it('comes to the same where it was stopped and went on from its checkpoint', async () => {
    const whole = await (await aRun(many)).run(1, never);
    const { run, commits } = await aRun(many, 2);
    await expect(run(1, never)).rejects.toThrow('out of time');
    expect(commits).toMatchObject([{ lines: 10_000 }, { lines: 20_000 }]);
    const { report: _first, ...sums } = whole;
    expect(await run(2, never, commits.at(-1))).toMatchObject(sums);
    expect(commits).toHaveLength(2);
  });

  it('fails for good where the file is gone, and at a line that is no order, which it names', async () => {
    const { run, objects } = await aRun(['date,product,amount', '2026-01-01,tea,0.10', 'yesterday,tea,1']);
    await expect(run(1, never)).rejects.toThrow('Line 3 is no order: yesterday,tea,1');
    await objects.delete(objects.keys()[0]!);
    await expect(run(2, never)).rejects.toMatchObject({
      name: 'TerminalError',
      message: expect.stringContaining('no file'),
    });
  });
});
