// The demo's files: real ones of the vega-datasets package, and a workbook as offices send them.
import { join } from 'node:path';
import { root } from '../cloud/settings.ts';

const data = join(root, 'node_modules/vega-datasets/data');

export interface DemoFile {
  readonly name: string;
  readonly path: string;
  readonly about: string;
  /** Of each of its tables. */
  readonly rows: readonly number[];
}

const file = (name: string, rows: readonly number[], about: string): DemoFile => ({
  name,
  path: join(data, name),
  rows,
  about,
});

export const directFiles = [
  file('seattle-weather.csv', [1461], 'CSV, four years of weather'),
  file('unemployment.tsv', [3218], 'TSV, unemployment by county'),
  file('movies.json', [3201], 'JSON, an array of objects'),
  file('miserables.json', [77, 254], 'JSON, an object with two arrays: two tables'),
];
export const largeFile = file('flights-3m.parquet', [3_000_000], '13 MB of Parquet, three million flights');

export const workbook: DemoFile = {
  name: 'harbour-tools.xlsx',
  path: join(root, 'examples/data/harbour-tools.xlsx'),
  rows: [12, 40, 4, 11],
  about: 'XLSX with titles, two tables on a sheet, merged cells, an error and a hidden sheet',
};

/** What is found out of the workbook. */
export const relationsExpected = [
  'Orders__Orders__first_quarter_2026."Customer ID" → Customers."Customer ID"',
  'Orders__Returns."Order" → Orders__Orders__first_quarter_2026."Order"',
  'Customers."Country" → Codes."Country"',
];
export const tagsExpected = ['Name: NAME', 'E-mail: EMAIL'];
export const searched = { words: 'custmer id', best: 'Customer ID' };

export interface Question {
  readonly ask: string;
  readonly sql: string;
  /** The right answer, as the API writes it. */
  readonly answer: readonly (readonly unknown[])[];
}

/** One question a file that a person would ask; the answers were worked out from the files by other means. */
export const questions: readonly Question[] = [
  {
    ask: 'Which weather does Seattle have most?',
    sql: 'select weather, count(*) as days, max(temp_max) as warmest from seattle_weather group by weather order by days desc',
    answer: [
      ['rain', 641, '35.6'],
      ['sun', 640, '35.0'],
      ['fog', 101, '30.6'],
      ['drizzle', 53, '31.7'],
      ['snow', 26, '11.1'],
    ],
  },
  {
    ask: 'Which films are rated best by many?',
    sql: 'select "Title", "IMDB Rating" from movies where "IMDB Votes" > 200000 order by "IMDB Rating" desc, "Title" limit 3',
    answer: [
      ['The Godfather', '9.2'],
      ['The Shawshank Redemption', '9.2'],
      ['The Godfather: Part II', '9.0'],
    ],
  },
  {
    ask: 'Who of Les Misérables is met with others most often?',
    sql: `select n.name, sum(l.value)::bigint as meetings from miserables__nodes n
      join miserables__links l on n.index in (l.source, l.target) group by n.name order by meetings desc limit 3`,
    answer: [
      ['Valjean', 158],
      ['Marius', 104],
      ['Enjolras', 91],
    ],
  },
  {
    ask: 'Whose orders came back? (from the workbook)',
    sql: `select c."Name", r."Reason", o."Net amount" from harbour_tools__Orders__Returns r
      join harbour_tools__Orders__Orders__first_quarter_2026 o using ("Order") join harbour_tools__Customers c using ("Customer ID") order by o."Order"`,
    answer: [
      ['Jónas Ólafsson', 'damaged', '98.31'],
      ['Jónas Ólafsson', 'wrong size', '853.72'],
      ['Dmitri Volkov', 'late', '520.52'],
      ['Greta Lind', 'damaged', '119.49'],
    ],
  },
  {
    ask: 'From which airports did most of three million flights leave?',
    sql: 'select origin, count(*) as flights, round(avg(delay), 2) as mean_delay from flights_3m group by origin order by flights desc limit 3',
    answer: [
      ['ORD', 166_341, 9.27],
      ['DFW', 157_162, 7.7],
      ['ATL', 124_711, 8.83],
    ],
  },
];
