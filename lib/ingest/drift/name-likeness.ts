// How alike two column names are, from 0 to 1. Letters' case, accents and what stands between words do not count.
import { isName } from '../long-names.ts';

const MARKS = /\p{M}/gu;

/** Words of a name: `unitPrice (EUR)` gives unit, price, eur. */
const wordsOf = (name: string): readonly string[] =>
  name
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether two names differ by case, accents and punctuation only. */
export function sameWords(a: string, b: string): boolean {
  if (!isName(a) || !isName(b)) return false;
  const [left, right] = [wordsOf(a).join(''), wordsOf(b).join('')];
  return left !== '' && left === right;
}

/** Shares of one of the two names, by what they have in common. */
export function nameLikeness(a: string, b: string): number {
  if (!isName(a) || !isName(b)) return a === b ? 1 : 0;
  const [left, right] = [wordsOf(a), wordsOf(b)];
  if (left.length === 0 || right.length === 0) return a === b ? 1 : 0;
  const [joinedLeft, joinedRight] = [left.join(''), right.join('')];
  if (joinedLeft === joinedRight) return 1;
  return Math.max(
    pairsInCommon(joinedLeft, joinedRight),
    wordsInCommon(left, right),
    shortened(joinedLeft, joinedRight),
  );
}

function pairsOf(text: string): string[] {
  const spaced = ` ${text} `;
  return Array.from({ length: text.length + 1 }, (_, at) => spaced.slice(at, at + 2));
}

/** Dice's coefficient over pairs of letters. */
function pairsInCommon(a: string, b: string): number {
  const [left, right] = [pairsOf(a), pairsOf(b)];
  const rest = new Map<string, number>();
  for (const pair of right) rest.set(pair, (rest.get(pair) ?? 0) + 1);
  let common = 0;
  for (const pair of left) {
    const more = rest.get(pair) ?? 0;
    if (more === 0) continue;
    rest.set(pair, more - 1);
    common += 1;
  }
  return (2 * common) / (left.length + right.length);
}

/** `price` and `unit_price`: all words of one are the other's. */
const WITHIN = 0.75;

function wordsInCommon(a: readonly string[], b: readonly string[]): number {
  const [few, many] = a.length <= b.length ? [a, b] : [b, a];
  const common = few.filter((word) => many.includes(word)).length;
  return common === few.length ? WITHIN : (WITHIN * common) / Math.max(few.length, many.length);
}

/** `qty` and `quantity`: the letters of one, in order, are in the other. */
const SHORTENED = 0.6;
const SHORTEST = 3;

function shortened(a: string, b: string): number {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length < SHORTEST || short[0] !== long[0]) return 0;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length ? SHORTENED : 0;
}
