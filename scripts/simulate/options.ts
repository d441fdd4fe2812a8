// What `npm run simulate -- …` may be asked.
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { commandLine, wholeFrom } from '../command-line.ts';

export interface SeedTask {
  readonly from: number;
  readonly count: number;
  /** A mutant of the rule table to run with. */
  readonly mutant?: string | undefined;
}

export interface SimulateOptions {
  readonly runs: number;
  /** The first seed; the others follow it. */
  readonly seed: number;
  readonly threads: number;
  /** Run this seed alone, with its trace. */
  readonly replay?: number | undefined;
  /** Show a broken run as it was, not shrunk. */
  readonly full: boolean;
  readonly mutant?: string | undefined;
  /** The least that every possible cell must have been hit. */
  readonly least: number;
}

export const simulateCommand = (): Command =>
  commandLine(
    'simulate',
    'Runs the whole system on virtual time under faults, a seed a run, and judges it by its laws.',
  )
    .option('--runs <number>', 'seeds, one after the other', wholeFrom(1), 2000)
    .option('--seed <number>', 'the first of them; default: another each time', wholeFrom(0))
    .option('--jobs <number>', 'threads', wholeFrom(1), availableParallelism())
    .option('--least <number>', 'fail where a possible cell of rule and fault was hit less often', wholeFrom(0), 0)
    .option('--replay <seed>', 'this seed alone, with its trace', wholeFrom(0))
    .option('--full', 'a broken run as it was, not shrunk')
    .option('--mutant <name>', 'with this guard or effect left out, as npm run mutate names it');

/** `anySeed` where none is named. */
export function simulateAsked(command: Command, anySeed: number): SimulateOptions {
  const { jobs, ...asked } = command.opts<Omit<SimulateOptions, 'seed' | 'full' | 'threads'> & { jobs: number }>();
  return { seed: anySeed, full: false, ...asked, threads: jobs };
}
