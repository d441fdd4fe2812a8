// A record of which the quotes are broken: what is said of it, and where reading goes on where it is left out.
import { parseError } from '../formats/place.ts';
import { BROKEN, type Dialect, INCOMPLETE, type Recording } from './records.ts';

const LF = 10;
const CR = 13;

interface Stretch {
  readonly bytes: Uint8Array;
  readonly end: number;
  /** Nothing follows `end`. */
  readonly last: boolean;
}

/** Behind the line end that follows `from`; INCOMPLETE where it is not at hand. */
function behindLine({ bytes, end, last }: Stretch, newline: Dialect['newline'], from: number): number {
  for (let at = from; at < end; at++) {
    if (bytes[at] === LF) return at + 1;
    if (newline !== 'cr' || bytes[at] !== CR) continue;
    if (at + 1 >= end && !last) return INCOMPLETE;
    return bytes[at + 1] === LF && at + 1 < end ? at + 2 : at + 1;
  }
  return last ? end : INCOMPLETE;
}

/**
 * Nobody knows where a broken record was to end, so that it is given up together with the line on which it broke: where text follows a
 * closing quote, or where a quote is opened that is never closed. One that is longer than a record may be counts as never closed.
 * `read` is what the reader answered for the record at `at`: BROKEN or INCOMPLETE.
 */
export function behindBroken(
  stretch: Stretch,
  { newline }: Dialect,
  { brokenAt }: Pick<Recording, 'brokenAt'>,
  { at, read, maxRecordBytes }: { readonly at: number; readonly read: number; readonly maxRecordBytes: number },
): number {
  if (read !== BROKEN && stretch.end - at <= maxRecordBytes) return INCOMPLETE;
  return behindLine(stretch, newline, Math.max(at, brokenAt));
}

/** Carries the place out of the synchronous loop; where the line is has yet to be looked up. */
export class BrokenRecord extends Error {
  readonly recordAt: number;
  readonly brokenAt: number;

  constructor(recordAt: number, brokenAt: number) {
    super('broken record');
    this.recordAt = recordAt;
    this.brokenAt = brokenAt;
  }
}

/** What reading ended with, as a PARSE_ERROR where a record is broken. */
export async function explainBroken(source: Parameters<typeof parseError>[0], thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof BrokenRecord)) return thrown;
  const recordAt = thrown.recordAt + (source.base?.offset ?? 0);
  const what = `a quote is opened and never closed, or followed by text (in the record at byte ${recordAt}).`;
  return parseError(source, thrown.brokenAt, what);
}
