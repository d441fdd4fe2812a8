// The demo's files: real ones, of the vega-datasets package.
import { join } from 'node:path';
import { root } from '../cloud/settings.ts';

const data = join(root, 'node_modules/vega-datasets/data');

export interface DemoFile {
  readonly name: string;
  readonly path: string;
  readonly about: string;
  readonly rows: number;
}

const file = (name: string, rows: number, about: string): DemoFile => ({ name, path: join(data, name), rows, about });

export const directFiles = [
  file('seattle-weather.csv', 1461, 'CSV, four years of weather'),
  file('unemployment.tsv', 3218, 'TSV, unemployment by county'),
  file('movies.json', 3201, 'JSON, an array of objects'),
];
export const largeFile = file('flights-3m.parquet', 3_000_000, '13 MB of Parquet, three million flights');

export interface Question {
  readonly ask: string;
  readonly sql: string;
  /** The right answer, as the API writes it. */
  readonly answer: readonly (readonly unknown[])[];
}
