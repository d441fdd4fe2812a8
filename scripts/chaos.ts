// `npm run chaos`: 2,000 jobs and pipelines on the local cloud while worker processes are killed, functions throttled and the emulator
// restarted; then the embedded host killed outright. Exits 1 if a job was lost, settled twice or left as an orphan, or a recovery bound was missed.
import { asError } from '../lib/core/check.ts';
import { chaosEmbedded } from './chaos/on-embedded.ts';
import { chaosOnCloud } from './chaos/on-cloud.ts';
import { type ChaosAsked, chaosAsked, chaosCommand } from './chaos/options.ts';

const started = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${line}`);

async function run({ jobs, seed, cloud, embedded }: ChaosAsked): Promise<number> {
  say(`Seed ${seed}.`);
  const kept = [
    ...(cloud ? [await chaosOnCloud({ jobs, seed, say })] : []),
    ...(embedded ? [await chaosEmbedded({ jobs: Math.ceil(jobs / 10), seed, say })] : []),
  ].every(Boolean);
  say(kept ? 'Every law was kept.' : 'A law was broken; see above.');
  return kept ? 0 : 1;
}

const asked = chaosAsked(chaosCommand().parse(), Math.floor(performance.timeOrigin));
try {
  process.exitCode = await run(asked);
} catch (error) {
  console.error(asError(error).message);
  process.exitCode = 1;
}
