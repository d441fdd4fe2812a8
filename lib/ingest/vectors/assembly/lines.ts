// Line ends: LF, CR, and CRLF as one.
import { before, byteAt, CR, equal, LF, STEP } from './bytes';

/** How many there are from `from` to `end`, behind the byte `previous`. */
export function lineEnds(from: i32, end: i32, previous: i32): i32 {
  let ends = 0;
  let afterCr = previous == CR ? 1 : 0;
  for (let at = from; at < end; at += STEP) {
    const feeds = before(equal(at, LF), at, end);
    const returns = before(equal(at, CR), at, end);
    // An LF behind a CR ends nothing.
    const seconds = feeds & ((returns << 1) | afterCr);
    ends += popcnt(feeds ^ seconds) + popcnt(returns);
    afterCr = at + STEP <= end ? (returns >> (STEP - 1)) & 1 : byteAt(end - 1) == CR ? 1 : 0;
  }
  return ends;
}
