// CSV and TSV: find the dialect, survey the whole file, and hand DuckDB the file itself, or a canonical copy of it.
import { join } from 'node:path';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { bytesAt } from '../formats/head.ts';
import { looksLikeData, nameColumns } from '../reading/names.ts';
import { csvRelation, type TextColumn, type TextTable } from '../typing/relation.ts';
import { type WarningCode, warn } from '../warnings.ts';
import { writeCanonical, writeSample } from './canonical.ts';
import { delimiterCandidates, newlineOf } from './dialect.ts';
import type { Dialect } from './records.ts';
import type { ReadOptions } from '../options.ts';
import { type CsvSource, type Finding, type Survey, surveyCsv } from './survey.ts';

const HEAD_BYTES = 1 << 20;

const isEven = ({ short, long }: Survey): boolean => short === undefined && long === undefined;

/** Tab-separated files often quote nothing and mean every quote; that reading counts only if all rows agree on it. */
async function surveyTabs(source: CsvSource, dialect: Dialect): Promise<Survey> {
  try {
    return await surveyCsv(source, dialect);
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.code !== 'PARSE_ERROR') throw thrown;
    const literal = await surveyCsv(source, { ...dialect, quoting: 'none' });
    if (!isEven(literal) || literal.columns < 2) throw thrown;
    return literal;
  }
}

interface Chosen {
  readonly survey: Survey;
  /** Delimiters that would do as well. */
  readonly rivals: readonly string[];
}

/** The head proposes delimiters; if the best leaves rows ragged and another fits every row of the file, that one is it. */
async function surveyBest(
  source: CsvSource,
  format: 'csv' | 'tsv',
  { delimiter: given = format === 'tsv' ? '\t' : undefined, quote }: ReadOptions,
): Promise<Chosen> {
  const head = await bytesAt(source.path, source.start, HEAD_BYTES);
  const newline = newlineOf(head);
  const dialect = (delimiter: string): Dialect => ({
    delimiter,
    newline,
    quoting: quote === 'none' ? 'none' : 'rfc4180',
  });
  const survey = (delimiter: string): Promise<Survey> =>
    delimiter === '\t' && quote === undefined
      ? surveyTabs(source, dialect(delimiter))
      : surveyCsv(source, dialect(delimiter));
  if (given !== undefined) return { survey: await survey(given), rivals: [] };
  const candidates = delimiterCandidates(head, source.start + head.length >= source.size, newline);
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

const found = (code: WarningCode, finding: Finding | undefined): Warning[] =>
  finding === undefined ? [] : [warn(code, { row: finding.row, count: finding.count, example: finding.example })];

function structureWarnings({ survey, rivals }: Chosen, { quote }: ReadOptions): Warning[] {
  const { dialect, header, rows, emptyQuoted, allQuoted } = survey;
  const detail = `${JSON.stringify(dialect.delimiter)} is taken.`;
  return [
    ...(rivals.length > 0 ? [warn('DELIMITER_GUESSED', { detail })] : []),
    ...(looksLikeData(header) && rows > 0
      ? [warn('HEADER_LOOKS_LIKE_DATA', { example: header.join(dialect.delimiter) })]
      : []),
    ...found('ROWS_ABOVE_HEADER', survey.above),
    ...found('BLANK_LINES_SKIPPED', survey.blankLines),
    ...found('SHORT_ROWS', survey.short),
    ...found('LONG_ROWS', survey.long),
    ...found('QUOTES_KEPT', survey.strayQuotes),
    ...(dialect.quoting === 'none' && quote === undefined
      ? [warn('QUOTES_KEPT', { detail: 'No field is taken as quoted.' })]
      : []),
    ...(emptyQuoted > 0 && !allQuoted ? [warn('EMPTY_TEXT_KEPT', { count: emptyQuoted })] : []),
  ];
}

/** Columns that stay text by their caller's word, the others open. */
function typed(names: readonly string[], { types = {} }: ReadOptions): TextColumn[] {
  const asked = new Map(Object.entries(types));
  const columns = names.map((name): TextColumn => ({ name, family: asked.delete(name) ? 'verbatim' : 'any' }));
  const [unknown] = asked.keys();
  if (unknown === undefined) return columns;
  throw new Fault('OPTION_MISFIT', `There is no column ${JSON.stringify(unknown)} to be VARCHAR.`, {
    extra: { option: 'types', column: unknown },
  });
}

/** The line with which spreadsheet programs name the delimiter; it is no row. */
const separatorLine = /^"?sep=([\t!#-/:-@[-`{-~])"?[\r\n]/i;

/** What the file says of itself in such a line, where the caller says nothing. */
async function withSeparatorLine(file: CsvSource, options: ReadOptions): Promise<ReadOptions> {
  const [, delimiter] = separatorLine.exec((await bytesAt(file.path, file.start, 16)).toString('latin1')) ?? [];
  return delimiter === undefined ? options : { delimiter, headerRow: 2, ...options };
}

/** Whether DuckDB would take a first value for a byte order mark and drop it: text of another encoding, written out, that begins with two. */
const losesMark = async ({ path, start }: CsvSource, { header }: Survey): Promise<boolean> =>
  start === 0 && header.length === 0 && (await bytesAt(path, 0, 3)).toString() === '\ufeff';

/** A field without quotes cannot hold these, so that no word with one of them is ever met. */
function requireWords(words: readonly string[], { delimiter }: Dialect): void {
  const impossible = words.find((word) => word.includes(delimiter) || /["\r\n\0]/.test(word));
  if (impossible === undefined) return;
  const what = 'which no field without quotes can be: it holds a quote, a line end, a NUL or the delimiter';
  throw new Fault('OPTION_MISFIT', `The option nullWords has ${JSON.stringify(impossible)}, ${what}.`, {
    extra: { option: 'nullWords' },
  });
}

export interface PreparedCsv {
  readonly table: TextTable;
  readonly warnings: readonly Warning[];
}

/**
 * Reads the structure of a CSV or TSV file into `workDir`.
 * Faults: PARSE_ERROR, LINE_TOO_LONG, ENCODING_INVALID, TOO_MANY_COLUMNS, EMPTY_FILE, OPTION_MISFIT.
 */
export async function prepareCsv(
  file: CsvSource,
  format: 'csv' | 'tsv',
  workDir: string,
  asked: ReadOptions = {},
): Promise<PreparedCsv> {
  const options = await withSeparatorLine(file, asked);
  const source = { ...file, headerRow: options.headerRow };
  const chosen = await surveyBest(source, format, options);
  const { survey } = chosen;
  requireWords(options.nullWords ?? [], survey.dialect);
  const { names, warnings } = nameColumns(survey.header, survey.columns);
  const samplePath = join(workDir, 'sample.csv');
  await writeSample(source, survey, samplePath);
  const canonicalPath = join(workDir, 'canonical.csv');
  const regular = survey.regular && !(await losesMark(source, survey));
  if (!regular) await writeCanonical(source, survey, canonicalPath);
  const shape = {
    delimiter: survey.dialect.delimiter,
    columns: survey.columns,
    longestRecord: survey.longestRecord,
    nullWords: options.nullWords ?? [],
    quotedNewlines: survey.quotedNewlines ? ('quoted newlines' as const) : ('lines' as const),
  };
  const table: TextTable = {
    all: regular
      ? csvRelation({
          ...shape,
          path: source.path,
          header: survey.header.length > 0 ? 'header' : 'no header',
          newline: survey.newline,
        })
      : csvRelation({ ...shape, path: canonicalPath, header: 'no header', newline: 'lf' }),
    sample: csvRelation({ ...shape, path: samplePath, header: 'no header', newline: 'lf' }),
    sampleIsAll: survey.sampleIsAll,
    columns: typed(names, options),
    rows: survey.rows,
    bytes: source.size,
    dateOrder: options.dateOrder,
    emptyIsNull: survey.allQuoted && survey.emptyQuoted > 0,
  };
  return { table, warnings: [...warnings, ...structureWarnings(chosen, options)] };
}
