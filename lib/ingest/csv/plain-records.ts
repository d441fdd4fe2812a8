// Records of CSV that are as all are: read by the hundred, and only counted. Any other record, and each of which more is wanted, is left.
import type { Window } from '../formats/windows.ts';
import { sharedVectors } from '../vectors/module.ts';
import { pieceOf } from '../vectors/piece.ts';
import type { Dialect } from './records.ts';

/** What was counted of records that were passed over. */
export interface Passed {
  readonly rows: number;
  /** Of each. */
  readonly fields: number;
  readonly quotedFields: number;
  /** Of those, how many are `""`. */
  readonly emptyQuoted: number;
  /** A quoted field holds a line end. */
  readonly quotedNewline: boolean;
  /** Bytes of the longest. */
  readonly longest: number;
  /** How they ended: 1 for LF, 2 for CRLF, 3 for both. */
  readonly newlines: number;
}

interface Wanted {
  readonly fields: number;
  /** Bytes of a record. */
  readonly most: number;
}

export interface PlainRecords {
  /** Passes over the records from `at` on that begin before `until`; answers where the first begins that is left. */
  pass(at: number, until: number, wanted: Wanted): number;
  /** Of the last call. */
  passed(): Passed;
}

/** Over the bytes of a window. */
export function plainRecords({ bytes, end }: Window, { delimiter, quoting }: Dialect): PlainRecords {
  const vectors = sharedVectors();
  const { loops } = vectors;
  const piece = pieceOf(vectors, bytes, end);
  const [character, isQuoting] = [delimiter.charCodeAt(0), quoting === 'rfc4180' ? 1 : 0];
  let width = 0;
  return {
    pass: (at, until, { fields, most }) => {
      width = fields;
      const { from, to } = piece.at(at);
      const next = loops.csvRecords(
        at - from,
        to - from,
        Math.min(until, to) - from,
        character,
        isQuoting,
        fields,
        most,
      );
      return next + from;
    },
    passed: () => ({
      rows: loops.csvRows(),
      fields: width,
      quotedFields: loops.csvQuotedFields(),
      emptyQuoted: loops.csvEmptyQuoted(),
      quotedNewline: loops.csvQuotedNewline() !== 0,
      longest: loops.csvLongest(),
      newlines: loops.csvEnds(),
    }),
  };
}
