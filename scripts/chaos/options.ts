// What `npm run chaos -- …` may be asked.
import type { Command } from 'commander';
import { commandLine, wholeFrom } from '../command-line.ts';

export interface ChaosAsked {
  readonly jobs: number;
  readonly seed: number;
  readonly cloud: boolean;
  readonly embedded: boolean;
}

export const chaosCommand = (): Command =>
  commandLine(
    'chaos',
    'Runs jobs while processes die, functions are throttled and the host is restarted; then judges what became of them.',
  )
    .option('--jobs <number>', 'jobs on the local cloud; a tenth of them embedded', wholeFrom(1), 2000)
    .option('--seed <number>', 'what is drawn from; default: another each time', wholeFrom(0))
    .option('--cloud', 'the local cloud alone')
    .option('--embedded', 'the embedded host alone');

/** Both parts where none is named, and `anySeed` where none is. */
export function chaosAsked(command: Command, anySeed: number): ChaosAsked {
  const {
    jobs,
    seed = anySeed,
    cloud = false,
    embedded = false,
  } = command.opts<Partial<ChaosAsked> & { jobs: number }>();
  const both = cloud === embedded;
  return { jobs, seed, cloud: both || cloud, embedded: both || embedded };
}
