// `npm run bench`: ratios of one run on this machine, each against a baseline that runs in turns with it. `-- --only csv|stack|cold|sweep` runs a part.
import { parseArgs } from 'node:util';
import { benchCsv } from './csv-to-parquet.ts';
import { countCalls } from './calls.ts';
import { benchColdStart } from './cold-start.ts';
import { benchStack } from './stack.ts';
import { benchSweep } from './sweep.ts';
import { ratioTable } from './support/ratio.ts';

// Ending by `exit` lets the exit handlers stop the emulators.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const say = (line: string) => console.log(line);
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    megabytes: { type: 'string', default: '300' },
    rows: { type: 'string', default: '1000000' },
  },
});

const parts = {
  csv: () => benchCsv({ megabytes: Number(values.megabytes), log: say }),
  stack: () => benchStack(say),
  cold: () => benchColdStart(say),
  sweep: () => benchSweep({ rows: Number(values.rows), log: say }),
};

const only = values.only;
if (only !== undefined && !(only in parts))
  throw new Error(`There is no part ${only}; there are ${Object.keys(parts).join(', ')}.`);
const ratios = [];
for (const [name, run] of Object.entries(parts)) {
  if (only === undefined || only === name) ratios.push(...(await run()));
}
say(ratioTable(ratios));
if (only === undefined || only === 'stack') say(await countCalls(say));
