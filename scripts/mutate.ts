// `npm run mutate`: takes each guard and each effect out of the rule tables in turn. A law of the table, a simulated run or a test has to
// turn red for each; a mutant that none of them notices fails the command, unless the list of equivalents says why it is none.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { equivalents } from './mutate/equivalents.ts';
import { everyMutant } from './mutate/mutant.ts';
import type { MutantAnswer, MutantTask } from './mutate/tasks.ts';
import { killedByTests } from './mutate/tests.ts';
import { runPool } from './simulate/pool.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    'no-tests': { type: 'boolean', default: false },
  },
});
const threads = Math.max(1, Number(values.jobs));
const found = new Map<string, MutantAnswer>();
const mutants = everyMutant().filter(({ name }) => name.includes(values.only));

await runPool<MutantTask, MutantAnswer>({
  file: new URL('mutate/worker.ts', import.meta.url),
  threads,
  tasks: mutants.map(({ name }) => ({ name, runs: equivalents.has(name) ? 0 : Number(values.runs) })),
  answered: (answer, { name }) => {
    found.set(name, answer);
    if (found.size % 50 === 0) console.error(`${found.size} of ${mutants.length} mutants`);
    return true;
  },
});

const left = () => mutants.filter(({ name }) => found.get(name)?.killedBy === undefined && !equivalents.has(name));
if (!values['no-tests'])
  for (const { name } of left()) {
    const killedBy = await killedByTests(name);
    if (killedBy !== undefined) found.set(name, { killedBy, runs: Number(values.runs) });
  }

const width = Math.max(0, ...mutants.map(({ name }) => name.length));
for (const { name } of mutants) {
  const { killedBy, runs } = found.get(name) ?? { killedBy: undefined, runs: 0 };
  const after = killedBy?.startsWith('simulation') === true ? ` after ${runs} runs` : '';
  const reason = equivalents.get(name);
  const verdict = killedBy ?? (reason === undefined ? 'SURVIVES' : `equivalent: ${reason}`);
  console.log(`${name.padEnd(width)}  ${verdict}${after}`);
}
const survivors = left();
const unfit = [...equivalents.keys()].filter((name) => found.get(name)?.killedBy !== undefined);
const unknown = values.only === '' ? [...equivalents.keys()].filter((name) => !found.has(name)) : [];
console.log(
  `\n${mutants.length} mutants, ${survivors.length} survivors, ${mutants.length - survivors.length} killed or equivalent`,
);
for (const { name } of survivors) console.log(`survives: ${name}`);
for (const name of unfit) console.log(`listed as equivalent, but killed: ${name}`);
for (const name of unknown) console.log(`listed as equivalent, but no mutant: ${name}`);
process.exitCode = survivors.length + unfit.length + unknown.length === 0 ? 0 : 1;
