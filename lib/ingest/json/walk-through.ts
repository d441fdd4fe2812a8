// Takes a walk through a file, or through a stretch of it, window by window.
import { misfitAt, parseError } from '../formats/place.ts';
import { eachWindow, type Window, type WindowSource } from '../formats/windows.ts';
import { type Cursor, incomplete, JsonProblem, moveTo, newCursor, skipSpace } from './grammar.ts';
import { type Standing, step, type Walk, type Walker } from './walk.ts';

const CR = 13;

/** Behind what is used up; a line end of two bytes stays whole. */
const behindSpace = ({ bytes, at, last }: Cursor): number => (!last && at > 0 && bytes[at - 1] === CR ? at - 1 : at);

/** Whether nothing but white space is left, and nothing is awaited that is not in a later window. */
function isUsedUp(cursor: Cursor, { at }: Walk): boolean {
  skipSpace(cursor);
  return cursor.at >= cursor.end && (!cursor.last || at.phase === 'end');
}

/** The bytes of the window that are done with. */
function readWindow(window: Window, cursor: Cursor, walk: Walk): number {
  moveTo(cursor, window);
  let whole = 0;
  try {
    while (!isUsedUp(cursor, walk)) {
      whole = cursor.at;
      step(cursor, walk);
    }
    return behindSpace(cursor);
  } catch (thrown) {
    if (thrown === incomplete) return whole;
    if (thrown instanceof JsonProblem) throw new JsonProblem(window.offset + thrown.at, thrown.message, thrown.option);
    throw thrown;
  }
}

/**
 * Goes on through the text, or a stretch of it, from `at`, which it moves. Answers where the first byte stands that was left. Faults: PARSE_ERROR
 * with the place, LINE_TOO_LONG, ENCODING_INVALID, and OPTION_MISFIT with the place where a path does not lead to an array of objects.
 */
export async function walkThrough(source: WindowSource, walker: Walker, at: Standing): Promise<number> {
  const before = source.base?.offset ?? 0;
  const walk: Walk = { walker, at, offset: before };
  const cursor = newCursor('space');
  try {
    return await eachWindow(source, (window) => {
      walk.offset = before + window.offset;
      return readWindow(window, cursor, walk);
    });
  } catch (thrown) {
    if (!(thrown instanceof JsonProblem)) throw thrown;
    const { at: place, message, option } = thrown;
    throw await (option === undefined ? parseError(source, place, message) : misfitAt(source, place, message, option));
  }
}
