// What a detector's pattern may be: a part of RE2's syntax, checked here so that nobody needs an engine to be told what is wrong. RE2 runs it,
// in time linear in the text; it never becomes a RegExp of this process, where a pattern can take for ever.

export const LONGEST_PATTERN = 500;
/** Of one count, and of counts inside counts multiplied: RE2 writes repetitions out. */
const MOST_REPEATS = 200;
/** What a class of letters of all scripts counts as one: it takes RE2 that much more. */
const WIDE = 20;

const token = new RegExp(
  [
    String.raw`(?<escape>\\(?:[dDwWsSbBAz]|[tnrfv]|[pP]\{(?:L|Lu|Ll|N|Nd|P|S|Z|M|Latin|Greek|Cyrillic)\}|[^\p{L}\p{N}]))`,
    String.raw`(?<set>\[\^?\]?(?:\\[^\p{L}\p{N}]|\\[dDwWsStnrfv]|[^\]\\[])+\])`,
    String.raw`(?<flag>\(\?i\))`,
    String.raw`(?<open>\((?:\?:|\?i:|(?!\?)))`,
    String.raw`(?<close>\))`,
    String.raw`(?<count>\{\d{1,3}(?:,\d{0,3})?\}\??)`,
    String.raw`(?<repeat>[*+?]\??)`,
    String.raw`(?<or>\|)`,
    String.raw`(?<plain>[^\\()[\]{}*+?|])`,
  ].join('|'),
  'uy',
);

/** A place in the pattern that a repetition may follow: how often it repeats already; none at the start and after another repetition. */
type Repeatable = number | undefined;
interface Group {
  /** The largest product of counts inside. */
  most: number;
}

/** What is wrong with the pattern, as a sentence; undefined where nothing is. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > LONGEST_PATTERN) return `It has ${pattern.length} characters; ${LONGEST_PATTERN} are the limit.`;
  if (!pattern.isWellFormed() || pattern.includes('\0')) return 'It holds what is no character.';
  const groups: Group[] = [{ most: 1 }];
  let last: Repeatable;
  token.lastIndex = 0;
  while (token.lastIndex < pattern.length) {
    const at = token.lastIndex;
    const found = token.exec(pattern)?.groups;
    if (found === undefined)
      return `What stands at character ${at + 1} is not understood; back references and look-around are not taken.`;
    const next = step(found, groups, last);
    if (typeof next === 'string') return `${next} (character ${at + 1})`;
    last = next.last;
  }
  return groups.length > 1 ? 'A bracket is not closed.' : undefined;
}

function step(
  found: Readonly<Record<string, string | undefined>>,
  groups: Group[],
  last: Repeatable,
): string | { last: Repeatable } {
  const group = groups.at(-1) as Group;
  if (found['open'] !== undefined) {
    groups.push({ most: 1 });
    return { last: undefined };
  }
  if (found['close'] !== undefined) {
    if (groups.length === 1) return 'A bracket is closed that was not opened.';
    const { most } = groups.pop() as Group;
    const outer = groups.at(-1) as Group;
    outer.most = Math.max(outer.most, most);
    return { last: most };
  }
  if (found['or'] !== undefined || found['flag'] !== undefined) return { last: undefined };
  if (found['repeat'] !== undefined) return last === undefined ? 'There is nothing to repeat.' : { last: undefined };
  if (found['count'] !== undefined) return counted(found['count'], group, last);
  if (found['set'] !== undefined && hasWrongRange(found['set'])) return 'A range in brackets ends before it begins.';
  return { last: /^\\[pP]|^\[\^/.test(found['escape'] ?? found['set'] ?? '') ? WIDE : 1 };
}

/** Also where an end of the range is a class of characters, which has no place in an order. */
function hasWrongRange(set: string): boolean {
  const inside = set.slice(1, -1).replace(/^\^/, '');
  const ranges = inside.matchAll(/(\\.|[^\\])-(\\.|[^\\])/gsu);
  return [...ranges].some(
    ([, from = '', to = '']) => /\\[a-z]/i.test(from + to) || from.replace('\\', '') > to.replace('\\', ''),
  );
}

function counted(count: string, group: Group, last: Repeatable): string | { last: undefined } {
  if (last === undefined) return 'There is nothing to repeat.';
  const [least = 0, most = least] = (count.match(/\d+/g) ?? []).map(Number);
  if (most < least) return 'The count ends below where it begins.';
  const times = Math.max(most, 1) * last;
  if (times > MOST_REPEATS) return `It repeats ${times} times; ${MOST_REPEATS} are the limit.`;
  group.most = Math.max(group.most, times);
  return { last: undefined };
}
