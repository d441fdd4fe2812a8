import { expect, it } from 'vitest';
import { figureLines, figuresOf, growthLine } from '../../../bench/ingest/lines.ts';
import type { IngestSide } from '../../../bench/ingest/side.ts';

const side = (residentMb: number, laps: Readonly<Record<string, number>>, queryMs?: number): IngestSide => ({
  ...{ residentMb, queryMs, rows: 1 },
  laps: Object.entries(laps).map(([name, ms]) => ({ name, ms, cpuMs: 2 * ms })),
});

it('ratios are those of the best times, memory is the most, and what misses its aim says so', () => {
  const bare = [side(100, { copy: 130 }), side(90, { copy: 100 })];
  const ours = [
    side(400, { upload: 50, receive: 60, parse: 102, publish: 100 }, 31),
    side(513, { upload: 60, receive: 60, parse: 110, publish: 100 }, 40),
  ];
  expect(figureLines(figuresOf(bare, ours))).toEqual([
    '  parse 1.62x (processor 1.62x; aim 2: kept)',
    '  ingest 2.62x (processor 2.62x; aim 3: kept)',
    '  sent and ingested 3.12x (processor 3.12x; aim 3: MISSED)',
    '  memory 513 MB (DuckDB 100 MB; aim 512: MISSED)',
    '  query +31 ms (aim 50: kept)',
  ]);
});

it('growth is the cost of a MB at each size', () => {
  const sizes = [
    { megabytes: 10, took: { clock: 250, processor: 200 } },
    { megabytes: 100, took: { clock: 2400, processor: 2000 } },
  ];
  expect(growthLine('CSV', sizes)).toBe(
    'growth of CSV, ms a MB: 10 MB 25.0 (processor 20.0), 100 MB 24.0 (processor 20.0)',
  );
});
