// Which dialect a CSV is read under: the head proposes delimiters, and what each makes of the whole file decides.
import { Fault } from '../../core/fault.ts';
import type { ReadOptions } from '../options.ts';
import { delimiterCandidates, newlineOf } from './dialect.ts';
import type { Dialect } from './records.ts';
import type { Survey } from './shape.ts';

/** Bytes of a file that a dialect is proposed from. */
export const HEAD_BYTES = 1 << 20;

/** What becomes of bad records, for whoever reads them. */
export const badRecords = ({ onBadRecord }: ReadOptions): 'reject' | undefined =>
  onBadRecord === 'reject' ? onBadRecord : undefined;

/** The line with which spreadsheet programs name the delimiter; it is no row. */
const separatorLine = /^"?sep=([\t!#-/:-@[-`{-~])"?[\r\n]/i;

/** What the file says of itself in such a line, where the caller says nothing. */
export function withSeparatorLine(head: Buffer, options: ReadOptions): ReadOptions {
  const [, delimiter] = separatorLine.exec(head.toString('latin1', 0, 16)) ?? [];
  return delimiter === undefined ? options : { delimiter, headerRow: 2, ...options };
}

/** A field without quotes cannot hold these, so that no word with one of them is ever met. */
export function requireWords(words: readonly string[], { delimiter }: Pick<Dialect, 'delimiter'>): void {
  const impossible = words.find((word) => word.includes(delimiter) || /["\r\n\0]/.test(word));
  if (impossible === undefined) return;
  const what = 'which no field without quotes can be: it holds a quote, a line end, a NUL or the delimiter';
  throw new Fault('OPTION_MISFIT', `The option nullWords has ${JSON.stringify(impossible)}, ${what}.`, {
    extra: { option: 'nullWords' },
  });
}

type Ragged = Pick<Survey, 'short' | 'long' | 'broken' | 'wide' | 'columns'>;
type SurveyUnder<S> = (dialect: Dialect) => Promise<S>;

const isEven = ({ short, long, broken, wide }: Ragged): boolean =>
  [short, long, broken, wide].every((finding) => finding === undefined);

/** Tab-separated files often quote nothing and mean every quote; that reading counts only if all rows agree on it. */
async function surveyTabs<S extends Ragged>(dialect: Dialect, survey: SurveyUnder<S>): Promise<S> {
  const literal = async (): Promise<S | undefined> => {
    const found = await survey({ ...dialect, quoting: 'none' });
    return isEven(found) && found.columns >= 2 ? found : undefined;
  };
  try {
    const quoted = await survey(dialect);
    return quoted.broken === undefined ? quoted : ((await literal()) ?? quoted);
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.code !== 'PARSE_ERROR') throw thrown;
    const found = await literal();
    if (found === undefined) throw thrown;
    return found;
  }
}

export interface Chosen<S> {
  readonly survey: S;
  /** Delimiters that would do as well. */
  readonly rivals: readonly string[];
}

interface Proposal {
  readonly head: Buffer;
  /** The head is the whole file. */
  readonly whole: boolean;
  readonly format: 'csv' | 'tsv';
  readonly options: ReadOptions;
}

/** If the best delimiter leaves rows ragged and another fits every row of the file, that one is it. */
export async function chooseDialect<S extends Ragged>(
  { head, whole, format, options }: Proposal,
  surveyUnder: SurveyUnder<S>,
): Promise<Chosen<S>> {
  const { delimiter: given = format === 'tsv' ? '\t' : undefined, quote } = options;
  const newline = newlineOf(head);
  const quoting = quote === 'none' ? 'none' : 'rfc4180';
  const survey = (delimiter: string): Promise<S> =>
    delimiter === '\t' && quote === undefined
      ? surveyTabs({ delimiter, newline, quoting }, surveyUnder)
      : surveyUnder({ delimiter, newline, quoting });
  if (given !== undefined) return { survey: await survey(given), rivals: [] };
  const candidates = delimiterCandidates(head, whole, newline, badRecords(options));
  const even = candidates.filter(({ agreement }) => agreement === 1).map(({ delimiter }) => delimiter);
  const best = candidates[0]?.delimiter ?? ',';
  const first = await survey(best);
  if (isEven(first)) return { survey: first, rivals: even.filter((delimiter) => delimiter !== best) };
  for (const delimiter of even.filter((other) => other !== best)) {
    const other = await survey(delimiter);
    if (isEven(other)) return { survey: other, rivals: [best] };
  }
  return { survey: first, rivals: [] };
}
