import { type SimulationOptions, type SimulationResult, simulate } from '../../../lib/testing/simulation/simulate.ts';

/** The same seeds run each time, so that a change is judged and not chance: 2,000 of them, in two files that run side by side. */
export const seedsOfFile = 1000;

export interface Explored {
  /** The first run that broke a law, run again for its trace. */
  readonly broken: SimulationResult | undefined;
  readonly rules: Readonly<Record<string, number>>;
  /** The fewest choices of a run, and the fewest faults a call. */
  readonly choices: number;
  readonly faults: number;
}

export async function explored(
  count: number,
  options: (seed: number) => SimulationOptions,
  firstSeed = 1,
): Promise<Explored> {
  const rules: Record<string, number> = {};
  let [choices, faults] = [Infinity, Infinity];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const result = await simulate(options(seed));
    for (const [name, times] of Object.entries(result.rules)) rules[name] = (rules[name] ?? 0) + times;
    choices = Math.min(choices, result.choices);
    faults = Math.min(faults, result.faults / result.calls);
    if (result.violation !== undefined)
      return { broken: await simulate({ ...options(seed), traced: true }), rules, choices, faults };
  }
  return { broken: undefined, rules, choices, faults };
}

/** What a person needs to look into a broken run. */
export const told = ({ seed, violation, trace }: SimulationResult): string =>
  [`npm run simulate -- --replay ${seed}: ${violation?.message ?? ''}`, ...trace].join('\n');
