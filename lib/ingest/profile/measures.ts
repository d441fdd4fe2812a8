// What is measured of every value of a column in the scan of all columns: the mean and the spread of numbers, the lengths of texts.
import type { Asked } from '../look/batch.ts';
import type { ColumnMeasures } from '../reading/types.ts';

/** Numbers beyond it have squares that no DOUBLE holds. */
const LARGEST_SQUARED = '1e150';

const isFloating = (type: string): boolean => type === 'DOUBLE' || type === 'FLOAT';
export const isNumeric = (type: string): boolean =>
  isFloating(type) || /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL\(\d+,\d+\))$/.test(type);

/** Whether the characters of a value are counted. */
export const hasLength = (type: string): boolean => type === 'VARCHAR';

/** SQL of a column's measures, always as many. */
export function measuresAsked({ value, type }: Pick<Asked, 'value' | 'type'>): string[] {
  const none = 'NULL::VARCHAR';
  const numbers = isNumeric(type) ? [`avg(${value}::DOUBLE)`, spread(`${value}::DOUBLE`, type)] : [none, none];
  const lengths = [`min(length(${value}))`, `max(length(${value}))`, `avg(length(${value}))`];
  return [...numbers, ...(hasLength(type) ? lengths : [none, none, none])];
}

/** SQL of the same of values that are counted: `times` each, with its `length`; `mean` and `present` are those of the column. */
export function measuresCounted(type: string): string[] {
  const none = 'NULL::VARCHAR';
  const away = `sqrt(sum(times * (value::DOUBLE - mean) ** 2) / (any_value(present) - 1))`;
  const near = isFloating(type) ? `bool_and(abs(value) < ${LARGEST_SQUARED})` : 'true';
  const numbers = isNumeric(type)
    ? ['any_value(mean)', `CASE WHEN any_value(present) > 1 AND ${near} THEN ${away} END`]
    : [none, none];
  const lengths = ['min(length)', 'max(length)', 'sum(length * times) / any_value(present)'];
  return [...numbers, ...(hasLength(type) ? lengths : [none, none, none])];
}

/** None where one value is too far out, rather than the spread of the others; DuckDB gives an error. */
function spread(number: string, type: string): string {
  if (!isFloating(type)) return `stddev_samp(${number})`;
  const near = `abs(${number}) < ${LARGEST_SQUARED}`;
  return `CASE WHEN bool_and(${near}) THEN stddev_samp(${number}) FILTER (${near}) END`;
}

export function readMeasures(answers: readonly (string | null)[]): ColumnMeasures {
  const [mean, deviation, shortest, longest, meanLength] = answers;
  return {
    ...numberIn('mean', mean),
    ...numberIn('deviation', deviation),
    ...(typeof shortest === 'string' && {
      lengths: { min: Number(shortest), max: Number(longest), mean: Number(meanLength) },
    }),
  };
}

/** Nothing where a value, or the sum of all, is not finite. */
function numberIn<N extends string>(name: N, text: string | null | undefined): Partial<Record<N, number>> {
  const number = typeof text === 'string' ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? ({ [name]: number } as Partial<Record<N, number>>) : {};
}
