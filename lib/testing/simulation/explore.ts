// Many runs, a seed each, added up.
import { addCoverage, type Coverage } from './coverage.ts';
import { schedule, type SimulationOptions, simulate } from './simulate.ts';

export interface Explored {
  readonly runs: number;
  readonly seconds: number;
  /** Applied writes by rule. */
  readonly rules: Readonly<Record<string, number>>;
  readonly coverage: Coverage;
  readonly choices: number;
  readonly calls: number;
  readonly faults: number;
  /** Seeds of runs that broke a law, with the law. */
  readonly broken: readonly { readonly seed: number; readonly law: string }[];
  /** Runs that had fewer choices or faults than a schedule must have. */
  readonly short: number;
}

export const nothingExplored: Explored = {
  runs: 0,
  seconds: 0,
  rules: {},
  coverage: {},
  choices: 0,
  calls: 0,
  faults: 0,
  broken: [],
  short: 0,
};

/** Runs the seeds `from` to `from + count - 1`; stops at the first that breaks a law where `untilBroken`. */
export async function explore(
  {
    from,
    count,
    untilBroken = false,
  }: { readonly from: number; readonly count: number; readonly untilBroken?: boolean },
  options: Omit<SimulationOptions, 'seed'> = {},
): Promise<Explored> {
  let sum = nothingExplored;
  for (let seed = from; seed < from + count; seed++) {
    const result = await simulate({ ...options, seed });
    const { violation, choices, calls, faults } = result;
    const short = choices < schedule.choices || faults < schedule.faultsPerCall * calls ? 1 : 0;
    const broken = violation === undefined ? [] : [{ seed, law: violation.law }];
    sum = addUp(sum, { ...result, runs: 1, seconds: 0, broken, short: violation === undefined ? short : 0 });
    if (untilBroken && broken.length > 0) return sum;
  }
  return sum;
}

/** The coverage of `a` is added to in place: it is large, and there are many. */
export function addUp(a: Explored, b: Explored): Explored {
  const coverage: Coverage = a === nothingExplored ? {} : a.coverage;
  addCoverage(coverage, b.coverage);
  const rules: Record<string, number> = { ...a.rules };
  for (const [name, times] of Object.entries(b.rules)) rules[name] = (rules[name] ?? 0) + times;
  return {
    runs: a.runs + b.runs,
    seconds: a.seconds + b.seconds,
    rules,
    coverage,
    choices: a.choices + b.choices,
    calls: a.calls + b.calls,
    faults: a.faults + b.faults,
    broken: [...a.broken, ...b.broken],
    short: a.short + b.short,
  };
}
