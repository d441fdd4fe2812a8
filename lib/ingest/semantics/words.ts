// Names of columns and tables as words: what rules and candidates of relations compare, so that nothing matches inside a word.
import { readName } from '../long-names.ts';

/** Lower case, e.g. `customerID2` gives `customer`, `id`, `2`; letters of every script are kept. */
export const wordsOf = (name: string): string[] =>
  readName(name)
    .replaceAll(/(\p{Ll}|\p{Nd})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll(/(\p{L})(\p{Nd})/gu, '$1 $2')
    .replaceAll(/(\p{Nd})(\p{L})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{Nd}]+/u)
    .filter((word) => word !== '');

/** What is known of words, which may be `constructor` too. */
export const wordMap = <T>(known: Readonly<Record<string, T>>): ReadonlyMap<string, T> =>
  new Map(Object.entries(known));

/** The words with one space between and around them, so that ` ip ` is a whole word. */
export const spacedWords = (name: string): string => ` ${wordsOf(name).join(' ')} `;

const irregular: ReadonlyMap<string, string> = wordMap({
  children: 'child',
  indices: 'index',
  media: 'media',
  men: 'man',
  people: 'person',
  series: 'series',
  status: 'status',
  women: 'woman',
});

/** The singular of an English word by its ending; a word that is none already stays. */
export function singularOf(word: string): string {
  const known = irregular.get(word);
  if (known !== undefined) return known;
  if (word.length < 4 || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ch|sh|ss|x|zz)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith('uses')) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}
