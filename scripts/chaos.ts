// `npm run chaos`: 2,000 jobs and pipelines on the local cloud while worker processes are killed, functions throttled and the emulator
// restarted; then the embedded host killed outright. Exits 1 if a job was lost, settled twice, or left as an orphan.
import { parseArgs } from 'node:util';
import { asError } from '../lib/core/check.ts';
import { chaosEmbedded } from './chaos/on-embedded.ts';
import { chaosOnCloud } from './chaos/on-cloud.ts';

const { values: asked } = parseArgs({
  options: {
    jobs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Math.floor(performance.timeOrigin)) },
    cloud: { type: 'boolean', default: false },
    embedded: { type: 'boolean', default: false },
  },
});
const both = asked.cloud === asked.embedded;
const jobs = Number(asked.jobs);
const seed = Number(asked.seed);
const started = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${line}`);

try {
  if (!Number.isInteger(jobs) || jobs < 1 || !Number.isInteger(seed))
    throw new Error('--jobs and --seed take whole numbers.');
  say(`Seed ${seed}.`);
  const kept = [
    ...(both || asked.cloud ? [await chaosOnCloud({ jobs, seed, say })] : []),
    ...(both || asked.embedded ? [await chaosEmbedded({ jobs: Math.ceil(jobs / 10), seed, say })] : []),
  ].every(Boolean);
  say(kept ? 'Every law was kept.' : 'A law was broken; see above.');
  process.exitCode = kept ? 0 : 1;
} catch (error) {
  console.error(asError(error).message);
  process.exitCode = 1;
}
