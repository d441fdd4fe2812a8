// What `npm run simulate -- …` may be asked.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

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

export const usage = `npm run simulate -- [--runs N] [--seed S] [--jobs threads] [--least N] [--mutant NAME]
npm run simulate -- --replay S [--full] [--mutant NAME]`;

/** Throws a TypeError for what is not understood. */
export function parseOptions(args: readonly string[], seed: () => number): SimulateOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: '2000' },
      seed: { type: 'string' },
      jobs: { type: 'string', default: String(availableParallelism()) },
      least: { type: 'string', default: '0' },
      replay: { type: 'string' },
      full: { type: 'boolean', default: false },
      mutant: { type: 'string' },
    },
  });
  return {
    runs: wholeNumber('runs', values.runs),
    seed: values.seed === undefined ? seed() : wholeNumber('seed', values.seed),
    threads: Math.max(1, wholeNumber('jobs', values.jobs)),
    least: wholeNumber('least', values.least),
    full: values.full,
    ...(values.replay === undefined ? {} : { replay: wholeNumber('replay', values.replay) }),
    ...(values.mutant === undefined ? {} : { mutant: values.mutant }),
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new TypeError(`--${name} takes a whole number, not ${text}`);
  return Number(text);
}
