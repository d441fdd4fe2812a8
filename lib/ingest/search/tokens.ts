// Words of names and of texts, folded so that spelling and case do not matter: `customerID`, `customer_id` and `Customer Id` are the same
// two words. Where a script writes no spaces, words are pairs of neighbouring characters.

export interface Token {
  readonly term: string;
  /** Where it stands in the text: UTF-16 units, the end not included. */
  readonly start: number;
  readonly end: number;
}

/** A name as a whole is a word too, so that `customerid` finds `customer_id`; longer names than this are not looked for that way. */
const MOST_JOINED = 60;
/** Longer words are noise: keys, encoded bytes. */
const MOST_CHARACTERS = 40;

const run = /[\p{L}\p{N}\p{M}]+/gu;
const piece =
  /\p{N}+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー\u3099\u309a]+|\p{Lu}+(?!\p{Ll})\p{M}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{L}/gu;
const spaceless =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** Without case, compatibility forms and the accents of Latin, Greek and Cyrillic letters; marks that other scripts spell with stay. */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/gu, (letter) => letters[letter] ?? letter)
    .normalize('NFC');

/** The words of a text, in order. */
export function tokensOf(text: string): Token[] {
  const runs = [...text.matchAll(run)].flatMap(({ 0: word, index }) =>
    [...word.matchAll(piece)].flatMap(({ 0: part, index: within }) => wordsOf(part, index + within)),
  );
  return runs.filter(({ term }) => term !== '');
}

function wordsOf(part: string, start: number): Token[] {
  if (spaceless.test(part)) return pairsOf(part, start);
  return part.length > MOST_CHARACTERS ? [] : [{ term: folded(part), start, end: start + part.length }];
}

/** The words of a name, and the name as one word where it has several. */
export function nameTokensOf(name: string): Token[] {
  const tokens = tokensOf(name);
  const joined = tokens.map(({ term }) => term).join('');
  const whole = tokens.length > 1 && joined.length <= MOST_JOINED && !tokens.some(({ term }) => spaceless.test(term));
  return whole ? [...tokens, { term: joined, start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 0 }] : tokens;
}

/** Every pair, and the last character by itself, so that any run of characters begins some word. */
function pairsOf(text: string, at: number): Token[] {
  const tokens: Token[] = [];
  const characters = Array.from(text);
  let start = at;
  for (const [index, first] of characters.entries()) {
    const pair = `${first}${characters[index + 1] ?? ''}`;
    tokens.push({ term: folded(pair), start, end: start + pair.length });
    start += first.length;
  }
  return tokens;
}
