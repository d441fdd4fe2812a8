// `npm run bench`: ratios of one run on this machine, each against a baseline that runs in turns with it. `-- --help` names its parts.
import { benchCsv } from './csv-to-parquet.ts';
import { countCalls } from './calls.ts';
import { benchColdStart } from './cold-start.ts';
import { benchIngest } from './ingest.ts';
import { benchStack } from './stack.ts';
import { benchSweep } from './sweep.ts';
import { benchCloudSweep } from './sweep-cloud.ts';
import { type BenchOptions, benchAsked, benchCommand, type Part, parts } from './support/options.ts';
import { type Ratio, ratioTable } from './support/ratio.ts';

// Ending by `exit` lets the exit handlers stop the emulators.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const say = (line: string) => console.log(line);

const runs: Record<Part, (options: BenchOptions) => Promise<readonly Ratio[]>> = {
  csv: ({ megabytes }) => benchCsv({ megabytes, log: say }),
  ingest: async ({ sizes }) => {
    await benchIngest({ sizes, log: say });
    return [];
  },
  stack: () => benchStack(say),
  cold: () => benchColdStart(say),
  sweep: ({ rows, cloud }) => (cloud ? benchCloudSweep : benchSweep)({ rows, log: say }),
};

async function run(options: BenchOptions): Promise<void> {
  const { only } = options;
  const ratios: Ratio[] = [];
  for (const part of only === undefined ? parts : [only]) ratios.push(...(await runs[part](options)));
  if (ratios.length > 0) say(ratioTable(ratios));
  if (only === undefined || only === 'stack') say(await countCalls(say));
}

await run(benchAsked(benchCommand().parse()));
