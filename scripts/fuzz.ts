// `npm run fuzz`: mutated files of the corpus and mutated requests against the embedded service. The seed is printed first; a run that breaks
// a law is named with its input, and ends the command with 1.
import { join } from 'node:path';
import { stateFolder } from './cloud/settings.ts';
import { commandLine, wholeFrom } from './command-line.ts';
import type { Done } from './fuzz/child.ts';
import { fuzzOnce } from './fuzz/host.ts';
import { heldOf, keepInput, outcomesOf } from './fuzz/report.ts';

interface Asked {
  readonly runs: number;
  readonly seed?: number;
  readonly from: number;
  readonly atOnce: number;
}

/** Runs that a process does: many, so that a leak shows. */
const RUNS_OF_A_PROCESS = 2500;
/** After that many broken runs there is enough to look at. */
const ENOUGH_BROKEN = 10;

const asked = commandLine(
  'fuzz',
  'Sends mutated files and requests to the embedded service, and judges what comes of each.',
)
  .option('--runs <number>', 'files and requests, one after the other', wholeFrom(1), 1000)
  .option('--seed <number>', 'of all runs; default: another each time', wholeFrom(0))
  .option('--from <number>', 'the first run: with --runs 1 this one alone', wholeFrom(0), 0)
  .option('--at-once <number>', 'runs under way at a time', wholeFrom(1), 2)
  .parse()
  .opts<Asked>();

async function main({ runs, from, atOnce, seed = Math.floor(performance.timeOrigin % 1e9) }: Asked): Promise<number> {
  console.log(`seed ${seed}, runs ${from} to ${from + runs - 1}`);
  const started = performance.now();
  const done: Done[] = [];
  const broken: string[] = [];
  const held: string[] = [];
  const tell = (one: Done): boolean => {
    done.push(one);
    if (done.length % 500 === 0) console.error(`${done.length} of ${runs} runs`);
    return done.filter((each) => each.broken !== undefined).length < ENOUGH_BROKEN;
  };
  for (let next = from; next < from + runs && broken.length === 0; ) {
    const some = Math.min(RUNS_OF_A_PROCESS, from + runs - next);
    const explored = await fuzzOnce({ seed, from: next, runs: some, atOnce }, tell);
    broken.push(...explored.broken);
    if (explored.held.length >= 10) held.push(heldOf(explored.held));
    if (explored.end === 'ended') break;
    next += some;
  }
  for (const one of done.filter((each) => each.broken !== undefined)) {
    const where = await keepInput(join(stateFolder, 'fuzz'), seed, one);
    broken.push(
      `run ${one.run}: ${one.broken}\n  its input is in ${where}\n  again: npm run fuzz -- --seed ${seed} --from ${one.run} --runs 1`,
    );
  }
  console.log(outcomesOf(done));
  for (const line of held) console.log(`held over ${line}`);
  for (const line of broken) console.log(line);
  const took = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`seed ${seed}: ${done.length} runs in ${took} s, ${broken.length} broken`);
  return broken.length === 0 && done.length === runs ? 0 : 1;
}

process.exitCode = await main(asked);
