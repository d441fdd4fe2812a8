import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../../lib/telemetry/log.ts';
import { createMetrics } from '../../../lib/telemetry/metrics.ts';

const lines: string[] = [];
const hear = (method: 'info' | 'warn' | 'error' | 'log') =>
  vi.spyOn(console, method).mockImplementation((line: string) => void lines.push(line));

const parsed = () => lines.map((line) => JSON.parse(line));

// Powertools writes through a console of its own unless it is told that it is being developed with.
vi.stubEnv('POWERTOOLS_DEV', 'true');
vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');

afterEach(() => {
  lines.length = 0;
  vi.restoreAllMocks();
});

describe('the log of a function', () => {
  it('is one JSON line with level, sentence, service and fields', () => {
    hear('warn');
    createLog('worker').warn('the queue does not answer', { waited: 5 });
    expect(parsed()).toMatchObject([
      { level: 'WARN', message: 'the queue does not answer', service: 'worker', waited: 5 },
    ]);
  });

  it('keeps the message of an error and of anything else that was thrown', () => {
    hear('error');
    const log = createLog('worker');
    log.error('failed', { error: new TypeError('no row') });
    log.error('failed', { error: 'thrown text' });
    expect(parsed()).toMatchObject([
      { error: { name: 'TypeError', message: 'no row' } },
      { error: { message: 'thrown text' } },
    ]);
  });
});

describe('a metric', () => {
  it('is a line in the embedded metric format, in the namespace that the alarms read', () => {
    hear('log');
    createMetrics('reaper').publish('oldestDueAge', 42);
    const [line] = parsed();
    expect(line).toMatchObject({ OldestDueAge: 42, service: 'reaper' });
    expect(line._aws.CloudWatchMetrics[0]).toMatchObject({
      Namespace: 'Millrace',
      Metrics: [{ Name: 'OldestDueAge', Unit: 'Seconds' }],
    });
  });
});
