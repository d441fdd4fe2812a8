// The JSON type of DuckDB is text. It is parsed into the answer, unless that would change what it says.
import { isSameDecimal } from './decimals.ts';

const safeDepth = 200;

/** The parsed value; the text itself where a number would lose digits, an object repeats a key, or the nesting is too deep to walk. */
export function parseJsonText(text: string): unknown {
  const { depth, members } = shapeOf(text);
  if (depth > safeDepth) return text;
  let [isLost, kept] = [false, 0];
  try {
    const value: unknown = JSON.parse(
      text,
      function (this: unknown, _key, item: unknown, context?: { source?: string }) {
        if (!Array.isArray(this)) kept += 1;
        isLost ||= typeof item === 'number' && context?.source !== undefined && !survives(context.source, item);
        return item;
      },
    );
    // The value itself counts as the member of an object that JSON.parse makes for it.
    return isLost || kept !== members + 1 ? text : value;
  } catch {
    return text;
  }
}

/** Whether the written number and the double are the same decimal. */
const survives = (source: string, value: number): boolean =>
  Number.isFinite(value) && isSameDecimal(source, String(value));

/** The deepest nesting of brackets, and the members of all objects as they are written. */
function shapeOf(text: string): { depth: number; members: number } {
  let [depth, deepest, members] = [0, 0, 0];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}:]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth -= 1;
    else if (token === ':') members += 1;
  }
  return { depth: deepest, members };
}
