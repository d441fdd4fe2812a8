// Every warning that ingest can give, in one list; docs/ingest-types.md explains them to the reader.
import type { Warning } from '../core/warning.ts';

/** Code and what it means; `docs/ingest-types.md` lists the same codes. */
export const warningCatalogue = {
  BLANK_LINES_SKIPPED: 'Blank lines are left out.',
  BOOLEAN_WORDS: 'Words for true and false in capitals are read as booleans.',
  CELL_ERRORS: 'Cells hold errors such as #N/A; they are NULL.',
  COLUMN_EMPTY: 'No row has a value in the column, so that its type is unknown; it is text.',
  COLUMN_MISSING: 'The new rows lack a column of the table; it is NULL in them.',
  COLUMN_IN_SOME_FILES: 'Some of the files of the table lack a column; it is NULL in their rows.',
  COLUMN_REPEATED: 'A column name is used more than once; the later column is numbered.',
  COLUMN_UNNAMED: 'A column has no name; it is named after its place.',
  COLUMN_WIDENED: 'A column of the table has a wider type, so that it keeps the new rows too.',
  CURRENCY_LEFT_OUT: 'Numbers carry a currency; the number is kept, the currency is in no column.',
  DATE_ORDER_AMBIGUOUS: 'Dates do not say which part is the day and which the month; they stay text.',
  DATE_ORDER_DECIDED:
    'Dates do not say which part is the day and which the month; all values of the column together do.',
  DELIMITER_GUESSED: 'More than one delimiter fits the file.',
  DURATION_AS_NUMBER: 'Durations are whole numbers of their unit.',
  DESCRIBED_BY_RULE: 'A language model was to describe columns and did not; they are described by rules.',
  DETECTOR_SKIPPED: 'A detector of the workspace is too large for the engine that runs it, and was left out.',
  EMPTY_AS_NULL: 'In a file that quotes every field, an empty field of a typed column is NULL.',
  EMPTY_TEXT_AS_NULL: 'Cells hold a text without characters, as formulas give it; they are NULL, as empty cells are.',
  EMPTY_TEXT_KEPT: 'Quoted empty fields are empty text; unquoted ones are NULL.',
  ENCODING_GUESSED: 'The file does not say its encoding, which is found from its bytes.',
  ENTRIES_LEFT_OUT: 'An archive holds files that are no tables; they are left out.',
  FORMULAS_NOT_CALCULATED:
    'Cells hold formulas of which the file has no result, since no spreadsheet program has saved it; they are NULL.',
  HEADER_LOOKS_LIKE_DATA: 'The first row is taken as the header, but looks like data.',
  KEYS_LEFT_OUT: 'A JSON object has keys beside its arrays of objects; they are in no table.',
  KEPT_AS_TEXT: 'Values look like numbers, but a number would not keep them as written.',
  LEADING_ZEROS_LEFT_OUT: 'Numbers are shown with leading zeros by their format; the number has none.',
  LONG_ROWS: 'Rows have more fields than the header; the extra fields have columns of their own.',
  LOOKED_IN_PART:
    'The table is larger than what is looked at: profile, samples, personal data and meanings are those of some of its rows.',
  MERGED_CELLS: 'Cells are merged: the value is repeated in the rows below, and the cells beside it are NULL.',
  MISFIT_AS_NULL: 'Values that do not fit the type that was asked for are NULL.',
  MIXED_CELL_TYPES:
    'The cells of a column are of several kinds; the column holds them as text, dates as year-month-day.',
  MIXED_JSON_TYPES: 'A key holds values of several kinds; the column holds them as text, each as it is written.',
  PERCENT_AS_FRACTION: 'Numbers are percentages; they are kept as the fractions that they are, 0.5 for 50 %.',
  QUOTES_KEPT: 'Quotes inside unquoted fields are kept as they are.',
  RECORDS_REJECTED: 'Records are left out, as the upload asks for; the rejects report names them.',
  ROWS_ABOVE_HEADER: 'Rows stand above the row that is the header; they are left out.',
  SHEET_HIDDEN: 'A sheet is hidden in the workbook; it is read as the others are.',
  SHEET_ROWS_LEFT_OUT: 'Rows of a sheet, such as titles and notes, stand in no table; they are left out.',
  SHORT_ROWS: 'Rows have fewer fields than the header; the missing ones are NULL.',
  SOURCE_MASKED:
    'Columns of a source are masked by the policy of the dataset; the derived table has NULL for their values.',
  STAGE_SKIPPED:
    'A stage failed that the policy of the dataset does without; the table is published without what it finds.',
  TYPE_AS_TEXT: 'The file gives the column a type that does not hold all of its values here; they are text.',
  TYPE_WIDENED: 'Some values do not fit the type of the others; the column has a wider one.',
  UNION_AS_STRUCT: 'Values are of several types; each type has a field of its own, and the others are NULL.',
  ZONE_KEPT_AS_TEXT: 'Timestamps carry zones other than UTC, which a timestamp would lose; they stay text.',
  ZONE_LEFT_OUT: 'Timestamps are points in time, in UTC; the zone that the file names for the column is left out.',
} as const satisfies Record<string, string>;

export type WarningCode = keyof typeof warningCatalogue;

export interface WarningPlace {
  readonly column?: string | undefined;
  /** 1-based, the header not counted; of a workbook, the row of the sheet. */
  readonly row?: number | undefined;
  readonly count?: number | undefined;
  readonly example?: string | undefined;
  /** What is particular to this case; added to the catalogue's sentence. */
  readonly detail?: string | undefined;
}

const EXAMPLE_CHARACTERS = 100;

/** A warning of the catalogue with its place; examples are cut at 100 characters. */
export function warn(code: WarningCode, place: WarningPlace = {}): Warning {
  const { column, row, count, example, detail } = place;
  return {
    code,
    message: detail === undefined ? warningCatalogue[code] : `${warningCatalogue[code]} ${detail}`,
    ...(column !== undefined && { column }),
    ...(row !== undefined && { row }),
    ...(count !== undefined && { count }),
    ...(example !== undefined && {
      example: Array.from(example.slice(0, 2 * EXAMPLE_CHARACTERS))
        .slice(0, EXAMPLE_CHARACTERS)
        .join(''),
    }),
  };
}

/** The warnings of a table of which so many rows were looked at; all of them where `rows` is left out. What an earlier look left out stays told. */
export const withLook = <W extends { readonly code: string }>(
  warnings: readonly W[],
  rows: number | undefined,
): (W | Warning)[] =>
  rows === undefined || warnings.some(({ code }) => code === 'LOOKED_IN_PART')
    ? [...warnings]
    : [...warnings, warn('LOOKED_IN_PART', { count: rows })];
