// What `npm run bench -- …` may be asked.
import { type Command, Option } from 'commander';
import { commandLine, wholeFrom } from '../../scripts/command-line.ts';
import { DUE } from './sweep-ratios.ts';

export const parts = ['csv', 'ingest', 'stack', 'cold', 'sweep'] as const;
export type Part = (typeof parts)[number];

export interface BenchOptions {
  /** All of them where left out. */
  readonly only?: Part | undefined;
  readonly megabytes: number;
  /** Live rows of the sweep. */
  readonly rows: number;
  /** The sweep asks DynamoDB on a local endpoint, not SQLite. */
  readonly cloud: boolean;
}

const ROWS = { sqlite: 1_000_000, cloud: 100_000 };

export const benchCommand = (): Command =>
  commandLine('bench', 'Prints ratios: our figure over that of a baseline which runs in turns with it.')
    .addOption(new Option('--only <part>', 'this part alone').choices(parts))
    .option('--megabytes <number>', 'csv and ingest: the size of the file as CSV, MB', wholeFrom(1), 300)
    .option(
      '--rows <number>',
      `sweep: live rows, ${DUE} of them due; default: ${ROWS.sqlite}, with --cloud ${ROWS.cloud}`,
      wholeFrom(DUE),
    )
    .option('--cloud', 'sweep: DynamoDB on an emulator, not SQLite; needs --only sweep');

/** Ends the process as for any other usage error where options do not go together. */
export function benchAsked(command: Command): BenchOptions {
  const { cloud = false, ...asked } = command.opts<Partial<BenchOptions> & { megabytes: number }>();
  if (cloud && asked.only !== 'sweep') command.error('error: --cloud goes with --only sweep.');
  return { ...asked, cloud, rows: asked.rows ?? (cloud ? ROWS.cloud : ROWS.sqlite) };
}
