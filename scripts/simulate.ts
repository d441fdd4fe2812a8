// `npm run simulate`: many simulated runs on every core. The first seed is printed first; a run that breaks a law is shrunk and replayed.
import { jobRules } from '../lib/job/rules.ts';
import type { Rule } from '../lib/rule/rule.ts';
import { sideRules } from '../lib/job/side/side-rules.ts';
import { addUp, type Explored, nothingExplored } from '../lib/testing/simulation/explore.ts';
import { notSimulated } from '../lib/testing/simulation/impossible.ts';
import { simulate } from '../lib/testing/simulation/simulate.ts';
import { shrink } from '../lib/testing/simulation/shrink.ts';
import { useMutant } from './mutate/mutant.ts';
import { type SeedTask, simulateAsked, simulateCommand, type SimulateOptions } from './simulate/options.ts';
import { runPool } from './simulate/pool.ts';
import { coverageTable, judgeCoverage, summary } from './simulate/report.ts';

/** Runs that a thread is given at once. */
const CHUNK = 100;
/**
 * Chunks that a thread is given at all: a process that dies in a run leaves its handler waiting for ever, and Node keeps a signal that is
 * listened to.
 */
const CHUNKS_PER_THREAD = 25;
/** After that many broken runs there is enough to look at. */
const ENOUGH_BROKEN = 10;

async function main(): Promise<number> {
  const options = simulateAsked(simulateCommand().parse(), Math.floor(performance.timeOrigin % 1e9));
  if (options.mutant !== undefined) console.log(`mutant ${useMutant(options.mutant).name}`);
  if (options.replay !== undefined) return replay(options, options.replay);
  console.log(`seed ${options.seed} to ${options.seed + options.runs - 1}`);
  const started = performance.now();
  const explored = await exploreAll(options);
  console.log(summary(explored, (performance.now() - started) / 1000));
  const [first] = explored.broken;
  if (first !== undefined) {
    for (const { seed, law } of explored.broken) console.log(`seed ${seed}: ${law}`);
    return replay(options, first.seed);
  }
  return judge(options, explored);
}

async function exploreAll({ runs, seed, threads, mutant }: SimulateOptions): Promise<Explored> {
  let sum = nothingExplored;
  let told = performance.now();
  const tasks: SeedTask[] = [];
  for (let from = seed; from < seed + runs; from += CHUNK)
    tasks.push({ from, count: Math.min(CHUNK, seed + runs - from), mutant });
  await runPool<SeedTask, Explored>({
    file: new URL('simulate/worker.ts', import.meta.url),
    threads,
    tasksPerThread: CHUNKS_PER_THREAD,
    tasks,
    answered: (explored) => {
      sum = addUp(sum, explored);
      if (performance.now() - told > 10_000) {
        told = performance.now();
        console.error(`${sum.runs} of ${runs} runs, ${sum.broken.length} broken`);
      }
      return sum.broken.length < ENOUGH_BROKEN;
    },
  });
  return sum;
}

/** Runs one seed again: shrunk where it breaks a law. */
async function replay({ full, mutant }: SimulateOptions, seed: number): Promise<number> {
  const result = await simulate({ seed, traced: true });
  const shrunk = full || result.violation === undefined ? undefined : await shrink({ seed });
  const shown = shrunk?.result ?? result;
  if (shrunk !== undefined) {
    const { jobs, kept, drawn, tries } = shrunk;
    console.log(`\nshrunk to ${jobs} job${jobs === 1 ? '' : 's'} and ${kept} of ${drawn} choices in ${tries} runs:`);
  }
  console.log(shown.trace.join('\n'));
  console.log(`\nseed ${seed}: ${shown.violation?.message ?? 'no law is broken'}`);
  if (result.violation === undefined) return 0;
  const same = mutant === undefined ? '' : ` --mutant '${mutant}'`;
  console.log(`again: npm run simulate -- --replay ${seed}${same} (--full for the whole trace)`);
  return 1;
}

/** Rules that only test, and those that no run comes to, are left out. */
function rulesOfTable(): string[] {
  const beside = Object.entries<Rule>(sideRules).filter(([, rule]) => rule.then.length > 0 || rule.deletes === true);
  const named = beside.map(([name]) => `side/${name}`);
  return [...Object.keys(jobRules), ...named.filter((name) => !notSimulated.has(name))];
}

function judge({ least, mutant }: SimulateOptions, { coverage, short }: Explored): number {
  const rules = rulesOfTable();
  console.log(`\n${coverageTable(coverage, rules)}`);
  for (const [rule, reason] of notSimulated) console.log(`not in the table: ${rule}, ${reason}`);
  const { rare, refuted } = judgeCoverage(coverage, rules, least);
  for (const { rule, fault, times } of rare) console.log(`rare: ${rule} × ${fault}, ${times} of ${least}`);
  for (const { rule, fault } of refuted) console.log(`hit, though the list says it cannot be: ${rule} × ${fault}`);
  return mutant === undefined && (rare.length > 0 || refuted.length > 0 || short > 0) ? 1 : 0;
}

process.exitCode = await main();
