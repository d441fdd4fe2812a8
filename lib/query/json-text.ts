// The JSON type of DuckDB is text. It is parsed into the answer, unless that would change what it says.

const safeDepth = 200;

/** The parsed value; the text itself where a number would lose digits or the nesting is too deep to walk. */
export function parseJsonText(text: string): unknown {
  if (depthOf(text) > safeDepth) return text;
  const lost: string[] = [];
  try {
    const value: unknown = JSON.parse(text, (_key, item: unknown, context?: { source?: string }) => {
      if (typeof item === 'number' && context?.source !== undefined && !survives(context.source, item))
        lost.push(context.source);
      return item;
    });
    return lost.length === 0 ? value : text;
  } catch {
    return text;
  }
}

/** Whether the written number and the double are the same decimal. */
function survives(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  const [written, kept] = [normal(source), normal(String(value))];
  return written.digits === kept.digits && (written.digits === '' || written.exponent === kept.exponent);
}

/** Significant digits, and the power of ten that the first of them stands for. */
function normal(source: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = source.toLowerCase().replace(/^-/, '').split('e');
  const [whole = '', part = ''] = mantissa.split('.');
  const all = `${whole}${part}`;
  const leading = /^0*/.exec(all)?.[0].length ?? 0;
  return { digits: all.slice(leading).replace(/0+$/, ''), exponent: whole.length - leading + Number(power) };
}

/** The deepest nesting of brackets outside strings. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth -= 1;
  }
  return deepest;
}
