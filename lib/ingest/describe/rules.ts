// The describer without a model: sentences that say what is known and from where, and nothing else. The same facts give the same words.
import type { SemanticType } from '../semantics/types.ts';
import type { DescribedColumn, DescribedTable, DescribeRequest, Describer, Description } from './facts.ts';
import { plainName, synonymsOf } from './synonyms.ts';

/** One value of the meaning, with its article. */
const meanings: Readonly<Record<SemanticType, string>> = {
  text: 'a text',
  name: 'a name',
  description: 'a description',
  tag: 'a tag',
  enum: 'one of a few values',
  language_code: 'a language code',
  identifier: 'an identifier',
  code: 'a code',
  tax_id: 'a tax number',
  iban: 'an IBAN',
  version: 'a version',
  integer: 'a whole number',
  count: 'a count',
  decimal: 'a number',
  score: 'a score',
  ratio: 'a ratio',
  percentage: 'a percentage',
  rate: 'a rate',
  amount: 'an amount of money',
  currency: 'an amount of money in the currency that another column says',
  currency_code: 'a currency code',
  date: 'a date',
  datetime: 'a date with a time',
  time: 'a time of day',
  year: 'a year',
  quarter: 'a quarter',
  month: 'a month',
  week: 'a week',
  duration: 'a duration',
  timezone: 'a time zone',
  boolean: 'yes or no',
  flag: 'yes or no',
  email: 'an email address',
  phone: 'a phone number',
  url: 'a web address',
  image_url: 'the web address of an image',
  file_path: 'a path of a file',
  address: 'an address',
  city: 'a city',
  state: 'a state or province',
  postal_code: 'a postal code',
  country: 'a country',
  country_code: 'a country code',
  region: 'a region',
  industry_sector: 'an industry',
  geo_coordinate: 'a geographic coordinate',
  ip_address: 'an IP address',
  json: 'nested values',
  unknown: 'values of an unknown meaning',
};

const LISTED = 5;
const LISTED_CHARACTERS = 40;

const number = (value: number): string => value.toLocaleString('en');
const percent = (share: number): string => `${(Math.floor(share * 1000) / 10).toLocaleString('en')} %`;
const upper = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** What it is, and how that is known. */
function meaningSentence({ name, semantic }: DescribedColumn): string {
  const { type, by, share } = semantic;
  const plain = plainName(name);
  const called = plain === '' ? '' : ` (${plain})`;
  const fits = share === undefined || share === 1 ? '' : `; ${percent(share)} of the values looked at fit`;
  if (by === 'name') return `By its name, ${meanings[type]}${called}.`;
  if (by === 'values') return `By its values, ${meanings[type]}${called}${fits}.`;
  return `${upper(meanings[type])}${called}${fits}.`;
}

function rangeSentence({ min, max, type, personal }: DescribedColumn): string | undefined {
  if (personal || min === null || max === null || min === undefined || max === undefined) return undefined;
  if (!/^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL|DOUBLE|FLOAT|DATE|TIMESTAMP|TIME)/.test(type)) return undefined;
  return min === max ? `Always ${min}.` : `From ${min} to ${max}.`;
}

function valuesSentence(
  { distinct, distinctIs, nulls, personal, values, semantic }: DescribedColumn,
  rows: number,
): string | undefined {
  const present = rows - nulls;
  if (distinct === undefined || present === 0) return undefined;
  if (distinctIs === 'approximate') return `It has about ${number(distinct)} different values.`;
  if (present > 1 && distinct === present) return 'Each row has a value of its own.';
  const few = distinct <= LISTED && !personal && values.length >= distinct;
  const listed = values.filter((value) => value.length <= LISTED_CHARACTERS);
  if (few && semantic.type !== 'flag' && listed.length === values.length)
    return distinct === 1 ? `Its only value is ${listed.join('')}.` : `Its values are ${listed.join(', ')}.`;
  return `It has ${number(distinct)} different value${distinct === 1 ? '' : 's'}.`;
}

function nullsSentence({ nulls, looked }: DescribedColumn, rows: number): string | undefined {
  if (rows === 0) return 'There is no row.';
  if (nulls === rows) return looked === undefined ? 'No row has a value.' : 'No row that was looked at has a value.';
  return nulls === 0 ? undefined : `${percent(nulls / rows)} of the rows have no value.`;
}

const joined = (sentences: readonly (string | undefined)[]): string =>
  sentences.filter((each) => each !== undefined).join(' ');

/** What the others are of. */
const lookedSentence = ({ looked }: DescribedColumn, rows: number): string | undefined =>
  looked === undefined ? undefined : `Looked at were ${number(looked)} of ${number(rows)} rows.`;

export function describeColumn(column: DescribedColumn, rows: number): Description {
  const { looked = rows } = column;
  const sentences = [
    meaningSentence(column),
    rangeSentence(column),
    valuesSentence(column, looked),
    nullsSentence(column, looked),
    lookedSentence(column, rows),
  ];
  return { text: joined(sentences), by: 'rule', synonyms: synonymsOf(column.name) };
}

const listing = (names: readonly string[]): string => {
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
};

/** What a reader looks for first: what tells rows apart, when they are of, how much, and where. */
const themes: readonly (readonly [string, readonly SemanticType[]])[] = [
  ['times', ['date', 'datetime', 'year', 'quarter', 'month', 'week']],
  ['amounts of money', ['amount', 'currency']],
  ['counts', ['count']],
  ['places', ['address', 'city', 'state', 'postal_code', 'country', 'country_code', 'region', 'geo_coordinate']],
  ['ways to reach people', ['email', 'phone']],
];

export function describeTable({ name, rows, source, columns }: DescribedTable): Description {
  const size = `${number(rows)} row${rows === 1 ? '' : 's'} and ${number(columns.length)} column${columns.length === 1 ? '' : 's'}`;
  const keys = columns.filter(
    ({ nulls, distinct, distinctIs, semantic }) =>
      rows > 1 &&
      nulls === 0 &&
      distinct === rows &&
      distinctIs !== 'approximate' &&
      (semantic.type === 'identifier' || semantic.type === 'code'),
  );
  const told = themes.flatMap(([theme, types]) => {
    const names = columns.filter(({ semantic }) => types.includes(semantic.type)).map((column) => column.name);
    return names.length === 0 ? [] : [`${theme} (${listing(names)})`];
  });
  const sentences = [
    `${name} has ${size}${source === undefined ? '' : `, read from ${source}`}.`,
    keys.length === 0
      ? undefined
      : `${listing(keys.map((key) => key.name))} tell${keys.length === 1 ? 's' : ''} its rows apart.`,
    told.length === 0 ? undefined : `It holds ${told.join(', ')}.`,
  ];
  return { text: joined(sentences), by: 'rule', synonyms: synonymsOf(name) };
}

export const ruleDescriber: Describer = {
  describe: ({ table, columns, about }: DescribeRequest) =>
    Promise.resolve({
      ...(about === 'table and columns' && { table: describeTable(table) }),
      columns: columns.map((column) => describeColumn(column, table.rows)),
    }),
};
