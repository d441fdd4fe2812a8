// What `npm run bench -- …` may be asked.
import { Argument, type Command, Option } from 'commander';
import { commandLine, wholeFrom } from '../../scripts/command-line.ts';
import { DUE } from './sweep-ratios.ts';

export const parts = ['csv', 'ingest', 'stack', 'cold', 'sweep'] as const;
export type Part = (typeof parts)[number];

export interface BenchOptions {
  /** All of them where left out. */
  readonly only?: Part | undefined;
  /** Of csv. */
  readonly megabytes: number;
  /** Of ingest, MB. */
  readonly sizes: readonly number[];
  /** Live rows of the sweep. */
  readonly rows: number;
  /** The sweep asks DynamoDB on a local endpoint, not SQLite. */
  readonly cloud: boolean;
}

const MEGABYTES = 300;
/** Three, to see how the cost grows. */
const SIZES = [20, 100, 1000];
const ROWS = { sqlite: 1_000_000, cloud: 100_000 };

export const benchCommand = (): Command =>
  commandLine('bench', 'Prints ratios: our figure over that of a baseline which runs in turns with it.')
    .addArgument(new Argument('[part]', 'this part alone').choices(parts))
    .addOption(new Option('--only <part>', 'the same').choices(parts))
    .option(
      '--megabytes <number>',
      `csv and ingest: the size of the file as CSV, MB; default: ${MEGABYTES}, of ingest ${SIZES.join(', ')}`,
      wholeFrom(1),
    )
    .option(
      '--rows <number>',
      `sweep: live rows, ${DUE} of them due; default: ${ROWS.sqlite}, with --cloud ${ROWS.cloud}`,
      wholeFrom(DUE),
    )
    .option('--cloud', 'sweep: DynamoDB on an emulator, not SQLite; needs --only sweep');

/** Ends the process as for any other usage error where options do not go together. */
export function benchAsked(command: Command): BenchOptions {
  const {
    cloud = false,
    only = command.processedArgs[0] as Part | undefined,
    ...asked
  } = command.opts<Partial<BenchOptions>>();
  if (cloud && only !== 'sweep') command.error('error: --cloud goes with --only sweep.');
  return {
    ...{ only, cloud, megabytes: asked.megabytes ?? MEGABYTES, sizes: asked.megabytes ? [asked.megabytes] : SIZES },
    rows: asked.rows ?? (cloud ? ROWS.cloud : ROWS.sqlite),
  };
}
