// Millrace against the bare baseline on one local cloud, in turns, so that what else the machine does falls on both.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalCloud } from '../scripts/cloud/local-cloud.ts';
import { freePort } from '../scripts/cloud/port.ts';
import { measureLatency, measureRate, type Side } from './support/load.ts';
import type { Ratio } from './support/ratio.ts';
import { bareSide, millraceSide } from './support/sides.ts';

const warmUp = { jobs: 60, callers: 8 };
const latencyJobs = 40;
const rateJobs = 200;
const callers = 8;
const turns = 3;

type Figures = { start: number[]; rate: number[] };

/** Deploys both, warms both up, then measures in turns; the medians of the turns make the ratios. */
export async function benchStack(log: (line: string) => void): Promise<readonly Ratio[]> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const cloud = await startLocalCloud({ port: await freePort(), stateDir: join(directory, 'cloud'), log });
  try {
    const bare = await bareSide(cloud, join(directory, 'bare'), log);
    const ours = millraceSide(cloud);
    for (const side of [bare, ours]) await measureRate(side, warmUp.jobs, warmUp.callers);
    const [bareFigures, ourFigures] = await inTurns(bare, ours, log);
    return ratios(bareFigures, ourFigures);
  } finally {
    await cloud.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function inTurns(bare: Side, ours: Side, log: (line: string) => void): Promise<[Figures, Figures]> {
  const figures: [Figures, Figures] = [
    { start: [], rate: [] },
    { start: [], rate: [] },
  ];
  for (let turn = 1; turn <= turns; turn++) {
    for (const [at, side] of [bare, ours].entries()) {
      const { medianMs, p95Ms } = await measureLatency(side, latencyJobs);
      const rate = await measureRate(side, rateJobs, callers);
      figures[at]?.start.push(medianMs);
      figures[at]?.rate.push(rate);
      log(
        `  turn ${turn} ${side.name}: start ${medianMs.toFixed(0)} ms (p95 ${p95Ms.toFixed(0)}), ${rate.toFixed(1)} jobs/s`,
      );
    }
  }
  return figures;
}

const ratios = (bare: Figures, ours: Figures): readonly Ratio[] => [
  {
    name: 'submit → start, median',
    unit: 'ms',
    bare: median(bare.start),
    ours: median(ours.start),
    aim: { most: 1.5 },
  },
  { name: 'jobs per second', unit: '/s', bare: median(bare.rate), ours: median(ours.rate), aim: { least: 0.5 } },
];

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
