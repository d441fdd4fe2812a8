// Counts the values of columns: DuckDB puts each into the narrowest class it belongs to, in one scan for all columns asked.
import type { Engine, Row } from '../engine/engine.ts';
import { type Counts, dayMonthClass, inClasses, noCounts, type Sums } from './counts.ts';
import { dayMonthRung, isDayMonthDate, separators } from './day-months.ts';
import { needsDoubles } from './facts.ts';
import { bySlice, columnAt, type Rows, seenFrom, type TextColumn } from './relation.ts';
import {
  bigintRung,
  booleanRung,
  booleanStyles,
  dateRung,
  doubleRung,
  fractionDigits,
  holdsText,
  isLooseNumber,
  isNumber,
  isPlainDecimal,
  wholeDigits,
} from './rungs.ts';
import { isStampLike, isZonedStamp, stampRung, stampStyles, styleKey, styleOf } from './stamps.ts';

/** Most text starts with something else and is done with at one look. */
const startsOtherwise = (v: string): string => `NOT regexp_matches(${v}, '^[\\s+.0-9-]')`;

/** SQL for the narrowest class of a value; the tests are ordered so that the common ones come first. */
function classOf(v: string): string {
  const booleans = booleanStyles.map((style) => `WHEN ${holdsText(booleanRung(style), v)} THEN '${style}'`);
  return `CASE WHEN ${v} IS NULL THEN NULL
    ${booleans.join(' ')}
    WHEN ${startsOtherwise(v)} THEN 'text'
    WHEN ${holdsText(bigintRung, v)} THEN 'integer'
    WHEN ${isPlainDecimal(v)} THEN 'decimal'
    WHEN ${holdsText(dateRung, v)} THEN 'date'
    WHEN ${isStampLike(v)} THEN 'stamp'
    WHEN ${isNumber(v)} THEN 'number'
    WHEN ${isLooseNumber(v)} THEN 'loose'
    WHEN ${isDayMonthDate(v)} THEN 'day' || regexp_extract(${v}, '[./-]') || 'month'
    ELSE 'text' END`;
}

const countedClasses: readonly string[] = [
  ...booleanStyles,
  ...['integer', 'decimal', 'date', 'stamp', 'number', 'loose'],
  ...separators.map(dayMonthClass),
];

/** Columns a statement asks at once: planning grows faster than linearly with them (64 take a second, 16 a tenth), reading with the statements. */
const COLUMNS_AT_ONCE = { small: 16, large: 64 } as const;
const SMALL_BYTES = 8 * 2 ** 20;

const countsOf = (index: number): string[] =>
  countedClasses.map((name, place) => `count_if(class_${index} = '${name}') AS is_${place}_${index}`);

async function countClasses(engine: Engine, from: string, indexes: readonly number[]): Promise<Row> {
  const classed = indexes.map((index) => {
    const text = columnAt(index);
    return `${classOf(text)} AS class_${index}, ${text} AS v_${index}`;
  });
  const asked = indexes.map(
    (index) => `count(v_${index}) AS values_${index},
      count_if(v_${index} = '') AS empties_${index},
      ${countsOf(index).join(', ')},
      min(v_${index}) FILTER (class_${index} = 'stamp') AS stamp_example_${index},
      min(v_${index}) FILTER (starts_with(class_${index}, 'day')) AS day_month_example_${index},
      max(${wholeDigits(`v_${index}`)}) FILTER (class_${index} IN ('integer', 'decimal')) AS whole_${index},
      max(${fractionDigits(`v_${index}`)}) FILTER (class_${index} = 'decimal') AS fraction_${index}`,
  );
  return engine.row(`SELECT ${asked.join(',\n')} FROM (SELECT ${classed.join(',\n')} FROM ${from})`);
}

function textIn(row: Row, name: string): string | undefined {
  const value = row[name];
  return typeof value === 'string' ? value : undefined;
}

function readCounts(row: Row, index: number): Counts {
  const classes = countedClasses.map((name, place) => [name, Number(row[`is_${place}_${index}`])] as const);
  return {
    ...noCounts,
    values: Number(row[`values_${index}`]),
    empties: Number(row[`empties_${index}`]),
    classes: Object.fromEntries(classes.filter(([, count]) => count > 0)),
    wholeDigits: Number(row[`whole_${index}`] ?? 0),
    fractionDigits: Number(row[`fraction_${index}`] ?? 0),
    stampExample: textIn(row, `stamp_example_${index}`),
    dayMonthExample: textIn(row, `day_month_example_${index}`),
  };
}

/** Decimals of so many digits come back from a DOUBLE as the numbers that they were. */
const DOUBLE_DIGITS = 15;

/** SQL for what only some columns need to know, since it costs the most to ask, by the name of its answer. */
function furtherMeasures(counts: Counts, v: string, of: RowsCounted): Record<string, string> {
  const asked: Record<string, string> = {};
  const numbers = inClasses(counts, 'integer', 'decimal', 'number');
  const few = counts.wholeDigits + counts.fractionDigits <= DOUBLE_DIGITS && inClasses(counts, 'number') === 0;
  const areNumbers = numbers > 0 && numbers === counts.values - counts.empties;
  if (areNumbers && !few && (of === 'some' || needsDoubles(counts)))
    asked['doubles'] = `count_if(${holdsText(doubleRung, v)})`;
  for (const [place, separator] of separators.entries()) {
    if (inClasses(counts, dayMonthClass(separator)) === 0) continue;
    const kept = (order: 'day first' | 'month first') =>
      `count_if(${isDayMonthDate(v)} AND ${holdsText(dayMonthRung(separator, order), v)})`;
    asked[`day_${place}`] = kept('day first');
    asked[`month_${place}`] = kept('month first');
  }
  const style = styleOf(counts.stampExample ?? '');
  if (inClasses(counts, 'stamp') > 0) asked['zoned'] = `count_if(${isZonedStamp(v)})`;
  if (style !== undefined) asked['stamps'] = `count_if(${holdsText(stampRung(style), v)})`;
  return asked;
}

/** The measures of all columns in one scan; each answer is that of a measure of one column, 0 where it was not asked. */
async function measure(engine: Engine, from: string, measures: ReadonlyMap<number, Record<string, string>>) {
  const asked = [...measures].flatMap(([index, own]) =>
    Object.entries(own).map(([name, sql]) => `${sql} AS ${name}_${index}`),
  );
  const row = asked.length === 0 ? {} : await engine.row(`SELECT ${asked.join(',\n')} FROM ${from}`);
  return (name: string, index: number): number => Number(row[`${name}_${index}`] ?? 0);
}

function furtherCounts(counts: Counts, answer: (name: string) => number, asked: Record<string, string>): Counts {
  const numbers = inClasses(counts, 'integer', 'decimal', 'number');
  const areNumbers = numbers === counts.values - counts.empties;
  const ofSeparators = (name: string): Sums =>
    Object.fromEntries(
      separators.flatMap((separator, place) => {
        const count = answer(`${name}_${place}`);
        return count === 0 ? [] : [[separator, count]];
      }),
    );
  const style = styleOf(counts.stampExample ?? '');
  return {
    ...counts,
    doubles: areNumbers ? ('doubles' in asked ? answer('doubles') : numbers) : 0,
    zonedStamps: answer('zoned'),
    stamps: style === undefined || answer('stamps') === 0 ? {} : { [styleKey(style)]: answer('stamps') },
    dayFirst: ofSeparators('day'),
    monthFirst: ofSeparators('month'),
  };
}

/** Timestamps of one column in several styles are counted in each of them. */
async function countStyles(engine: Engine, from: string, known: Map<number, Counts>): Promise<void> {
  const mixed = [...known].filter(
    ([, counts]) => Object.values(counts.stamps).reduce((a, b) => a + b, 0) < inClasses(counts, 'stamp'),
  );
  const measures = mixed.map(([index]) => {
    const styles = stampStyles.map((style, place) => [
      `style_${place}`,
      `count_if(${holdsText(stampRung(style), columnAt(index))})`,
    ]);
    return [index, Object.fromEntries(styles) as Record<string, string>] as const;
  });
  const answer = await measure(engine, from, new Map(measures));
  for (const [index, counts] of mixed) {
    const stamps = stampStyles.map((style, place) => [styleKey(style), answer(`style_${place}`, index)] as const);
    known.set(index, { ...counts, stamps: Object.fromEntries(stamps.filter(([, count]) => count > 0)) });
  }
}

async function countSome(
  engine: Engine,
  from: string,
  indexes: readonly number[],
  of: RowsCounted,
): Promise<Map<number, Counts>> {
  const row = await countClasses(engine, from, indexes);
  const known = new Map(indexes.map((index) => [index, readCounts(row, index)]));
  const measures = new Map([...known].map(([index, one]) => [index, furtherMeasures(one, columnAt(index), of)]));
  const answer = await measure(engine, from, measures);
  for (const [index, one] of known)
    known.set(
      index,
      furtherCounts(one, (name) => answer(name, index), measures.get(index) ?? {}),
    );
  await countStyles(engine, from, known);
  return known;
}

/** All that are ever to be counted of a table, or some, whose counts are added to those of others. */
type RowsCounted = 'all' | 'some';

export interface RowsToCount {
  /** Of the table; without them numbers stand in their plain form. */
  readonly columns?: readonly TextColumn[];
  /** Of the rows, as text. */
  readonly bytes?: number;
  readonly of?: RowsCounted;
}

/** The counts of the columns named by index. */
export async function countValues(
  engine: Engine,
  rows: Rows,
  indexes: readonly number[],
  { columns = [], bytes = Infinity, of = 'some' }: RowsToCount = {},
): Promise<Map<number, Counts>> {
  const all = new Map<number, Counts>();
  // A slice of many is small.
  const isSmall = bytes <= SMALL_BYTES || rows.length > 1;
  const atOnce = COLUMNS_AT_ONCE[isSmall ? 'small' : 'large'];
  for (const { slice, items } of bySlice(rows, indexes, { indexOf: (index) => index, atOnce }))
    for (const [index, one] of await countSome(engine, seenFrom(columns, slice, items), items, of)) all.set(index, one);
  return all;
}
