// Finds the delimiter and the line end from the head of the file; the survey of the whole file then has the last word.
import { behindBroken } from './broken.ts';
import { type Dialect, INCOMPLETE, isBlank, recordReader } from './records.ts';

const delimiters: readonly string[] = [',', ';', '\t', '|'];

type OnBadRecord = 'reject' | undefined;

export interface Candidate {
  readonly delimiter: string;
  /** Of the first record. */
  readonly fields: number;
  /** How many of the other records have as many, from 0 to 1. */
  readonly agreement: number;
}

const quoteAware = /"(?:[^"]|"")*"/g;

/** A bare CR ends records only where there is no LF to do it. */
export function newlineOf(head: Buffer): Dialect['newline'] {
  const text = head.toString('latin1').replaceAll(quoteAware, '');
  return text.includes('\r') && !text.includes('\n') ? 'cr' : 'lf';
}

function judge(head: Buffer, whole: boolean, dialect: Dialect, onBadRecord: OnBadRecord): Candidate {
  const { record, read } = recordReader(dialect, 1);
  let first = 0;
  let others = 0;
  let agreeing = 0;
  for (let at = 0; at < head.length; ) {
    const next = read(head, at, head.length, whole);
    if (next === INCOMPLETE) break;
    const leaves = onBadRecord === 'reject' && first > 0;
    if (next < 0 && !leaves) return { delimiter: dialect.delimiter, fields: first, agreement: 0 };
    const stretch = { bytes: head, end: head.length, last: true };
    const place = { at, read: next, maxRecordBytes: head.length };
    at = next < 0 ? behindBroken(stretch, dialect, record, place) : next;
    if (next >= 0 && isBlank(record)) continue;
    if (first === 0) first = record.fields;
    else if (++others > 0 && next >= 0 && record.fields === first) agreeing++;
  }
  return { delimiter: dialect.delimiter, fields: first, agreement: others === 0 ? 1 : agreeing / others };
}

/**
 * The delimiters under which the head makes two or more columns, best first: most records agreeing, then most columns.
 * None means a table of one column. `whole` says that the head is the whole file.
 */
export function delimiterCandidates(
  head: Buffer,
  whole: boolean,
  newline: Dialect['newline'],
  onBadRecord?: OnBadRecord,
): Candidate[] {
  return delimiters
    .map((delimiter) => judge(head, whole, { delimiter, newline, quoting: 'rfc4180' }, onBadRecord))
    .filter(({ fields }) => fields >= 2)
    .sort((a, b) => b.agreement - a.agreement || b.fields - a.fields);
}
