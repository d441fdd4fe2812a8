// What the bench of ingest says: a line a figure, each with what is aimed at and whether that is kept.
import type { Lap } from './marks.ts';
import type { IngestSide } from './side.ts';

export const aims = { parse: 2, ingest: 3, memoryMb: 512, queryMs: 50 } as const;

type Which = (name: string) => boolean;

const of = (laps: readonly Lap[], what: 'ms' | 'cpuMs', which: Which): number =>
  laps.reduce((sum, lap) => sum + (which(lap.name) ? lap[what] : 0), 0);

const all: Which = () => true;
/** The stages that read the file: it is hashed, looked at and written as Parquet in them. */
const parsing: Which = (name) => name === 'receive' || name === 'parse';
/** All ten stages, the file being there. */
const ingesting: Which = (name) => name !== 'upload';

export interface Figures {
  /** Times what the copy takes, by the clock and by the processor. */
  readonly parse: Ratios;
  readonly ingest: Ratios;
  /** The same with what it takes to be sent the file. */
  readonly sent: Ratios;
  readonly memoryMb: number;
  readonly bareMemoryMb: number;
  /** ms that the slowest of the queries takes longer over HTTP. */
  readonly queryMs: number;
  /** What `sent` is made of, ms. */
  readonly took: Ratios;
}

export interface Ratios {
  readonly clock: number;
  readonly processor: number;
}

const least = (sides: readonly IngestSide[], what: 'ms' | 'cpuMs', which: Which): number =>
  Math.min(...sides.map(({ laps }) => of(laps, what, which)));

/** The best time of each side counts, and the most memory. */
export function figuresOf(bare: readonly IngestSide[], ours: readonly IngestSide[]): Figures {
  const ratios = (which: Which): Ratios => ({
    clock: least(ours, 'ms', which) / least(bare, 'ms', all),
    processor: least(ours, 'cpuMs', which) / least(bare, 'cpuMs', all),
  });
  return {
    parse: ratios(parsing),
    ingest: ratios(ingesting),
    sent: ratios(all),
    memoryMb: Math.max(...ours.map(({ residentMb }) => residentMb)),
    bareMemoryMb: Math.max(...bare.map(({ residentMb }) => residentMb)),
    queryMs: Math.min(...ours.map(({ queryMs = Number.NaN }) => queryMs)),
    took: { clock: least(ours, 'ms', all), processor: least(ours, 'cpuMs', all) },
  };
}

const kept = (value: number, most: number): string => `aim ${most}: ${value <= most ? 'kept' : 'MISSED'}`;
const times = ({ clock, processor }: Ratios, most: number): string =>
  `${clock.toFixed(2)}x (processor ${processor.toFixed(2)}x; ${kept(clock, most)})`;

export const figureLines = ({ parse, ingest, sent, memoryMb, bareMemoryMb, queryMs }: Figures): string[] => [
  `  parse ${times(parse, aims.parse)}`,
  `  ingest ${times(ingest, aims.ingest)}`,
  `  sent and ingested ${times(sent, aims.ingest)}`,
  `  memory ${Math.round(memoryMb)} MB (DuckDB ${Math.round(bareMemoryMb)} MB; ${kept(memoryMb, aims.memoryMb)})`,
  `  query ${queryMs >= 0 ? '+' : ''}${Math.round(queryMs)} ms (${kept(queryMs, aims.queryMs)})`,
];

/** What each part of one run took. */
export const lapsLine = (laps: readonly Lap[]): string =>
  `  ${laps.map(({ name, ms, cpuMs }) => `${name} ${Math.round(ms)}/${Math.round(cpuMs)}`).join(', ')} ms by clock/processor`;

/** How the cost of a MB changes with the size. */
export function growthLine(
  name: string,
  sizes: readonly { readonly megabytes: number; readonly took: Ratios }[],
): string {
  const each = sizes.map(({ megabytes, took: { clock, processor } }) => {
    const perMb = (ms: number): string => (ms / megabytes).toFixed(1);
    return `${megabytes} MB ${perMb(clock)} (processor ${perMb(processor)})`;
  });
  return `growth of ${name}, ms a MB: ${each.join(', ')}`;
}
