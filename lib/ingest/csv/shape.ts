// What the records of a CSV, put together, say of the file and of how it can be read.
import type { Dialect } from './records.ts';
import { type Finding, newlineBits, type Tally } from './tally.ts';

export interface Survey {
  readonly dialect: Dialect;
  /** Empty where the file has none. */
  readonly header: readonly string[];
  /** Records above the header. */
  readonly above: Finding | undefined;
  /** Fields of the header, or of the first row where there is none. */
  readonly width: number;
  /** Data rows: no header, no blank lines. */
  readonly rows: number;
  /** Of the widest record, the header included. */
  readonly columns: number;
  readonly short: Finding | undefined;
  readonly long: Finding | undefined;
  readonly strayQuotes: Finding | undefined;
  readonly blankLines: Finding | undefined;
  /** Records that are left out: with broken quotes, and with more fields than the header. */
  readonly broken: Finding | undefined;
  readonly wide: Finding | undefined;
  readonly longestRecord: number;
  readonly quotedNewlines: boolean;
  readonly emptyQuoted: number;
  /** Every field of every data row stands in quotes. */
  readonly allQuoted: boolean;
  /** DuckDB's reader reads the file itself the same way, so that it need not be written out anew. */
  readonly regular: boolean;
  /** Of a regular file. */
  readonly newline: 'lf' | 'crlf';
  readonly sample: Buffer;
  readonly sampleIsAll: boolean;
}

/** What the tally of some of the records, or of all, says of them. */
export function surveyOf(
  dialect: Dialect,
  tally: Tally,
  header: readonly string[],
): Omit<Survey, 'sample' | 'sampleIsAll'> {
  const { above, short, long, strayQuotes, blankLines, broken, wide } = tally.notes;
  const crlf = tally.newlines === newlineBits.crlf;
  const oneNewline = crlf ? !tally.quotedNewlines : (tally.newlines & ~newlineBits.lf) === 0;
  const clean =
    above === undefined &&
    short === undefined &&
    long === undefined &&
    strayQuotes === undefined &&
    blankLines === undefined &&
    broken === undefined &&
    wide === undefined;
  const headerIsPlain = !header.some((name) => /["\r\n]/.test(name));
  return {
    dialect,
    header,
    above,
    width: tally.width,
    rows: tally.rows,
    columns: tally.columns,
    short,
    long,
    strayQuotes,
    blankLines,
    broken,
    wide,
    longestRecord: tally.longestRecord,
    quotedNewlines: tally.quotedNewlines,
    emptyQuoted: tally.emptyQuoted,
    allQuoted: tally.rows > 0 && tally.unquotedFields === 0,
    regular: clean && oneNewline && headerIsPlain && !tally.bareCr && dialect.quoting === 'rfc4180',
    newline: crlf ? 'crlf' : 'lf',
  };
}
