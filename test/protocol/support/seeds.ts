import { type SimulationOptions, type SimulationResult, simulate } from '../../../lib/testing/simulation/simulate.ts';

const given = process.env['MILLRACE_SEED'];
/** One seed replays; otherwise the same seeds run each time, so that a change is judged and not chance. */
export const firstSeed = Number(given ?? 1);
export const runs = given === undefined ? Number(process.env['MILLRACE_RUNS'] ?? 1000) : 1;

export interface Explored {
  /** The first run that broke a law, run again for its trace. */
  readonly broken: SimulationResult | undefined;
  readonly rules: Readonly<Record<string, number>>;
}

export async function explored(count: number, options: (seed: number) => SimulationOptions): Promise<Explored> {
  const rules: Record<string, number> = {};
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const result = await simulate(options(seed));
    for (const [name, times] of Object.entries(result.rules)) rules[name] = (rules[name] ?? 0) + times;
    if (result.violation !== undefined) return { broken: await simulate({ ...options(seed), traced: true }), rules };
  }
  return { broken: undefined, rules };
}

/** What a person needs to look into a broken run. */
export const told = ({ seed, violation, trace }: SimulationResult): string =>
  [`MILLRACE_SEED=${seed}: ${violation?.message ?? ''}`, ...trace].join('\n');
