// Records of CSV that are as all are: read by the hundred, and only counted. Any other record, and each of which more is wanted, is left.
import type { Window } from '../formats/windows.ts';
import { sharedVectors } from '../vectors/module.ts';
import { pieceOf } from '../vectors/piece.ts';
import type { Dialect } from './records.ts';

/** What was counted of records that were passed over. */
export interface Passed {
  readonly rows: number;
  /** Of all together. */
  readonly fields: number;
  /** Of the widest. */
  readonly widest: number;
  /** Those with fewer fields than the header: the first, by its place in the window and its number, from 1, and how many there are. */
  readonly short:
    | { readonly from: number; readonly to: number; readonly row: number; readonly count: number }
    | undefined;
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
  /** Of a record, at most: of the header. */
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
  let loadedFrom = 0;
  const shortOnes = (): Passed['short'] => {
    const place = { from: loadedFrom + loops.csvShortAt(), to: loadedFrom + loops.csvShortEnd() };
    return loops.csvShort() === 0 ? undefined : { ...place, row: loops.csvShortRow(), count: loops.csvShort() };
  };
  return {
    pass: (at, until, { fields, most }) => {
      const { from, to } = piece.at(at);
      loadedFrom = from;
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
      fields: loops.csvFields(),
      widest: loops.csvWidest(),
      short: shortOnes(),
      quotedFields: loops.csvQuotedFields(),
      emptyQuoted: loops.csvEmptyQuoted(),
      quotedNewline: loops.csvQuotedNewline() !== 0,
      longest: loops.csvLongest(),
      newlines: loops.csvEnds(),
    }),
  };
}
