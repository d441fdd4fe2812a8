// What a column means, by rules: its type first, then what its name says where its values bear it out, then its values alone.
import { numberRules } from './number-rules.ts';
import { type TextRule, textRules } from './text-rules.ts';
import type { Semantic, SemanticType } from './types.ts';
import { shareOf } from './values.ts';
import { spacedWords } from './words.ts';

/** What rules look at. */
export interface ColumnFacts {
  readonly name: string;
  /** DuckDB's name of it. */
  readonly type: string;
  readonly rows: number;
  readonly nulls: number;
  readonly distinct: number;
  /** Of numbers and times, as text. */
  readonly min?: string | null | undefined;
  readonly max?: string | null | undefined;
  /** Mean characters of texts. */
  readonly meanLength?: number | undefined;
  /** Of texts: values of some rows, without nulls. */
  readonly values?: readonly string[] | undefined;
}

const WITH_NAME = 0.6;
/** Different values up to which a column is a choice among a few. */
const ENUM_VALUES = 40;
const ENUM_SHARE = 0.2;
/** Mean characters from which a text is prose. */
const PROSE = 60;

const isWhole = (type: string): boolean => /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL\(\d+,0\))$/.test(type);
const isFraction = (type: string): boolean => /^(DOUBLE|FLOAT|DECIMAL\(\d+,\d+\))$/.test(type);

const stored: Readonly<Record<string, SemanticType>> = {
  BLOB: 'unknown',
  DATE: 'date',
  INTERVAL: 'duration',
  JSON: 'json',
  TIME: 'time',
  UUID: 'identifier',
};

/** Of one column by itself; `semanticTypesOf` then looks at the columns of a table together. */
export function semanticTypeOf(column: ColumnFacts): Semantic {
  const { type, rows, nulls } = column;
  const known = stored[type];
  if (known !== undefined) return { type: known, by: 'type' };
  if (/^TIMESTAMP/.test(type)) return { type: 'datetime', by: 'type' };
  if (/^(STRUCT|MAP|UNION|VARIANT)|\]$/.test(type)) return { type: 'json', by: 'type' };
  if (rows === nulls) return { type: 'unknown', by: 'type' };
  const words = spacedWords(column.name);
  if (type === 'BOOLEAN')
    return / (?:is|has|can|should|was|flag|enabled|active) /.test(words) ? named('flag') : ofType('boolean');
  if (isWhole(type) || isFraction(type)) return numberType(column, words);
  return type === 'VARCHAR' ? textType(column, words) : ofType('unknown');
}

const named = (type: SemanticType): Semantic => ({ type, by: 'name' });
const ofType = (type: SemanticType): Semantic => ({ type, by: 'type' });

function numberType(column: ColumnFacts, words: string): Semantic {
  const [min, max] = [Number(column.min ?? Number.NaN), Number(column.max ?? Number.NaN)];
  const whole = isWhole(column.type);
  if (whole && min === 0 && max === 1 && column.distinct === 2)
    return / (?:is|has|flag|active|enabled|deleted|valid) /.test(words)
      ? { type: 'flag', by: 'name and values', share: 1 }
      : { type: 'flag', by: 'values', share: 1 };
  const rule = numberRules.find(
    ({ named: says, numbers, range }) =>
      says.test(words) &&
      (numbers === undefined || (numbers === 'whole') === whole) &&
      (range === undefined || (min >= range[0] && max <= range[1])),
  );
  if (rule === undefined) return ofType(whole ? 'integer' : 'decimal');
  return rule.range === undefined ? named(rule.type) : { type: rule.type, by: 'name and values', share: 1 };
}

function textType(column: ColumnFacts, words: string): Semantic {
  const values = column.values ?? [];
  const different = new Set(values).size;
  return (
    firstOf(textRules, (rule) => borneOut(rule, words, values)) ??
    firstOf(textRules, (rule) => byValues(rule, values, different)) ??
    firstOf(textRules, ({ type, named: says, test }) =>
      test === undefined && says?.test(words) === true ? named(type) : undefined,
    ) ??
    otherText(column)
  );
}

function firstOf<T, R>(items: readonly T[], answer: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = answer(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function borneOut(
  { type, named: says, test, withName = WITH_NAME }: TextRule,
  words: string,
  values: readonly string[],
) {
  if (says === undefined || test === undefined || !says.test(words)) return undefined;
  const share = shareOf(values, test);
  return share >= withName ? ({ type, by: 'name and values', share, sampled: values.length } as const) : undefined;
}

function byValues({ type, test, alone, evidence = 1 }: TextRule, values: readonly string[], different: number) {
  if (alone === undefined || test === undefined || different < evidence) return undefined;
  const share = shareOf(values, test);
  return share >= alone ? ({ type, by: 'values', share, sampled: values.length } as const) : undefined;
}

function otherText({ rows, nulls, distinct, meanLength = 0 }: ColumnFacts): Semantic {
  const present = rows - nulls;
  if (distinct <= ENUM_VALUES && distinct <= ENUM_SHARE * present) return { type: 'enum', by: 'values' };
  return meanLength >= PROSE ? { type: 'text', by: 'values' } : ofType('text');
}

/** In the order of the columns. Money is `currency` in a table where a column says the currency. */
export function semanticTypesOf(columns: readonly ColumnFacts[]): Semantic[] {
  const found = columns.map(semanticTypeOf);
  if (!found.some(({ type }) => type === 'currency_code')) return found;
  return found.map((each) => (each.type === 'amount' ? { ...each, type: 'currency' } : each));
}
