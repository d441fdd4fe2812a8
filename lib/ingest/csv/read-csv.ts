// CSV and TSV: find the dialect, survey the whole file, and hand DuckDB the file itself, or a canonical copy of it.
import { join } from 'node:path';
import type { Warning } from '../../core/warning.ts';
import { bytesAt } from '../formats/head.ts';
import { looksLikeData, nameColumns } from '../reading/names.ts';
import { askedColumns } from '../typing/asked-columns.ts';
import type { TextTable } from '../typing/relation.ts';
import { type WarningCode, warn } from '../warnings.ts';
import { losesMark, writeCanonical, writeSample } from './canonical.ts';
import { type Chosen, chooseDialect, HEAD_BYTES, requireWords, withSeparatorLine } from './choose.ts';
import type { ReadOptions } from '../options.ts';
import { badOf } from './bad-records.ts';
import { linesOfRows } from './lines.ts';
import { csvRows } from './slices.ts';
import type { Survey } from './shape.ts';
import { type CsvSource, surveyCsv } from './survey.ts';
import { type Finding, freshTally } from './tally.ts';

const found = (code: WarningCode, finding: Finding | undefined): Warning[] =>
  finding === undefined ? [] : [warn(code, { row: finding.row, count: finding.count, example: finding.example })];

type Structure = Omit<Survey, 'sample' | 'sampleIsAll'>;

/** What is to be said of the structure. */
export function structureWarnings({ survey, rivals }: Chosen<Structure>, { quote }: ReadOptions): Warning[] {
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
    ...found('RECORDS_REJECTED', survey.broken),
    ...found('RECORDS_REJECTED', survey.wide),
    ...found('QUOTES_KEPT', survey.strayQuotes),
    ...(dialect.quoting === 'none' && quote === undefined
      ? [warn('QUOTES_KEPT', { detail: 'No field is taken as quoted.' })]
      : []),
    ...(emptyQuoted > 0 && !allQuoted ? [warn('EMPTY_TEXT_KEPT', { count: emptyQuoted })] : []),
  ];
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
  const head = await bytesAt(file.path, file.start, HEAD_BYTES);
  const options = withSeparatorLine(head, asked);
  const source = { ...file, headerRow: options.headerRow };
  const proposal = { head, whole: source.start + head.length >= source.size, format, options };
  const chosen = await chooseDialect(proposal, (dialect) => surveyCsv(source, dialect));
  const { survey } = chosen;
  requireWords(options.nullWords ?? [], survey.dialect);
  const { names, warnings } = nameColumns(survey.header, survey.columns);
  const [samplePath, canonicalPath] = [join(workDir, 'sample.csv'), join(workDir, 'canonical.csv')];
  await writeSample(source, survey, samplePath);
  const regular = survey.regular && (survey.header.length > 0 || !(await losesMark(source)));
  if (!regular) await writeCanonical(source, survey, canonicalPath);
  const shape = {
    delimiter: survey.dialect.delimiter,
    columns: survey.columns,
    longestRecord: survey.longestRecord,
    nullWords: options.nullWords ?? [],
    quotedNewlines: survey.quotedNewlines ? ('quoted newlines' as const) : ('lines' as const),
  };
  const slicing = { workDir, maxBytes: source.maxBytes, signal: source.signal };
  const table: TextTable = {
    all: await csvRows(
      regular
        ? {
            ...shape,
            path: source.path,
            header: survey.header.length > 0 ? 'header' : 'no header',
            newline: survey.newline,
          }
        : { ...shape, path: canonicalPath, header: 'no header', newline: 'lf' },
      slicing,
    ),
    sample: await csvRows({ ...shape, path: samplePath, header: 'no header', newline: 'lf' }, slicing),
    sampleIsAll: survey.sampleIsAll,
    columns: askedColumns(names, options),
    rows: survey.rows,
    bytes: source.size,
    dateOrder: options.dateOrder,
    linesOf: (rows) => linesOfRows({ source, dialect: survey.dialect, tally: freshTally(source.headerRow) }, rows),
    bad: badOf(survey, { source, dialect: survey.dialect, tally: freshTally(source.headerRow) }),
    emptyIsNull: survey.allQuoted && survey.emptyQuoted > 0,
  };
  return { table, warnings: [...warnings, ...structureWarnings(chosen, options)] };
}
