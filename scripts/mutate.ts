// `npm run mutate`: takes each guard and each effect out of the rule tables in turn. A law of the tables, which tests hold, or a simulated run
// has to turn red for each; a mutant that neither notices fails the command, unless the list of equivalents says why it is none.
import { availableParallelism } from 'node:os';
import { commandLine, wholeFrom } from './command-line.ts';
import { equivalents } from './mutate/equivalents.ts';
import { everyMutant } from './mutate/mutant.ts';
import type { MutantAnswer, MutantTask } from './mutate/tasks.ts';
import { runPool } from './simulate/pool.ts';

const asked = commandLine(
  'mutate',
  'Leaves out each guard and each effect of the rule tables in turn: each must turn something red.',
)
  .option('--runs <number>', 'simulated runs for a mutant that breaks no law', wholeFrom(1), 1000)
  .option('--only <text>', 'mutants alone whose name has this in it', '')
  .option('--jobs <number>', 'threads', wholeFrom(1), availableParallelism())
  .option(
    '--simulation-only',
    'without the laws, to see what the simulation finds by itself; survivors are no failure then',
  )
  .parse()
  .opts<{ runs: number; only: string; jobs: number; simulationOnly?: true }>();
const alone = asked.simulationOnly === true;
const started = performance.now();
const found = new Map<string, MutantAnswer>();
const mutants = everyMutant().filter(({ name }) => name.includes(asked.only));

await runPool<MutantTask, MutantAnswer>({
  file: new URL('mutate/worker.ts', import.meta.url),
  threads: asked.jobs,
  tasks: mutants.map(({ name }) => ({
    name,
    runs: equivalents.has(name) ? 0 : asked.runs,
    without: alone ? 'laws' : undefined,
  })),
  answered: (answer, { name }) => {
    found.set(name, answer);
    if (found.size % 50 === 0) console.error(`${found.size} of ${mutants.length} mutants`);
    return true;
  },
});

const width = Math.max(0, ...mutants.map(({ name }) => name.length));
for (const { name } of mutants) console.log(`${name.padEnd(width)}  ${verdictOf(name)}`);

function verdictOf(name: string): string {
  const { killedBy, runs } = found.get(name) ?? { killedBy: undefined, runs: 0 };
  if (killedBy !== undefined) return killedBy.startsWith('simulation') ? `${killedBy}, after ${runs} runs` : killedBy;
  const reason = equivalents.get(name);
  return reason === undefined ? 'SURVIVES' : `equivalent: ${reason}`;
}

const killed = mutants.filter(({ name }) => found.get(name)?.killedBy !== undefined);
const survivors = mutants.filter((mutant) => !killed.includes(mutant) && !equivalents.has(mutant.name));
const unfit = killed.filter(({ name }) => equivalents.has(name));
const unknown = asked.only === '' ? [...equivalents.keys()].filter((name) => !found.has(name)) : [];
const seconds = ((performance.now() - started) / 1000).toFixed(0);
const rest = mutants.length - killed.length - survivors.length;
console.log(
  `\n${mutants.length} mutants in ${seconds} s: ${killed.length} killed, ${rest} equivalent, ${survivors.length} survive`,
);
for (const { name } of survivors) console.log(`survives: ${name}`);
for (const { name } of unfit) console.log(`listed as equivalent, but killed: ${name}`);
for (const name of unknown) console.log(`listed as equivalent, but no mutant: ${name}`);
process.exitCode = (survivors.length === 0 || alone) && unfit.length + unknown.length === 0 ? 0 : 1;
