// Ranked full text over entries: BM25+ by MiniSearch, with beginnings of words and words that are spelled a little otherwise. It is kept
// as the library's own JSON, which is read ten times as fast as the words are counted anew.
import MiniSearch, { type AsPlainObject, type Options } from 'minisearch';
import { type Entry, fieldNames, type SearchField, searchFields, textsOf } from './entries.ts';
import { nameTokensOf, tokensOf } from './tokens.ts';

export interface Ranked {
  readonly id: string;
  readonly score: number;
  /** The words of the index that were found, and in which fields. */
  readonly terms: Readonly<Record<string, readonly SearchField[]>>;
}

export interface TextIndex {
  add(entries: readonly Entry[]): void;
  /** As they were added. */
  remove(entries: readonly Entry[]): void;
  /** Best first. */
  search(query: string, passes: (id: string) => boolean): Ranked[];
  toJSON(): AsPlainObject;
}

const named: ReadonlySet<string> = new Set<SearchField>(['name', 'table']);

/** Several texts of a field are one for the library; no word holds a line feed. */
const options: Options<Entry> = {
  fields: fieldNames,
  extractField: (entry, field) => (field === 'id' ? entry.id : textsOf(entry, field as SearchField).join('\n')),
  tokenize: (text, field) => wordsIn(text, field),
  processTerm: (term) => term,
};

const wordsIn = (text: string, field: string | undefined): string[] => {
  const tokens = field !== undefined && named.has(field) ? nameTokensOf(text) : tokensOf(text);
  return tokens.map(({ term }) => term);
};

/** How many letters of a word may be wrong, of which two that changed places are two; a number is another number where a digit is. */
function slips(term: string): number {
  if (/\p{N}/u.test(term) || term.length < 4) return 0;
  return term.length < 5 ? 1 : 2;
}

/** What is two letters off is mostly another word where the word is short: it counts only where nothing is nearer. */
const nearSlips = (term: string): number => (term.length < 7 ? 1 : 2);

/** Words of a query that are looked for, so that a pasted page costs no more than a question. */
const MOST_WORDS = 20;

export function createTextIndex(kept?: AsPlainObject): TextIndex {
  const index = kept === undefined ? new MiniSearch<Entry>(options) : MiniSearch.loadJS<Entry>(kept, options);
  const ranked = (terms: readonly string[], passes: (id: string) => boolean, most: (term: string) => number) =>
    index.search(terms.join(' '), {
      boost: searchFields,
      tokenize: () => [...terms],
      // A single letter begins too many words; a single character of a script without spaces is one.
      prefix: (term) => term.length > 1 || !/^[\p{ASCII}]$/u.test(term),
      fuzzy: (term) => Math.min(most(term), slips(term)),
      maxFuzzy: 2,
      weights: { prefix: 0.5, fuzzy: 0.3 },
      filter: ({ id }) => passes(id as string),
    });
  return {
    add: (entries) => index.addAll(entries),
    remove: (entries) => index.removeAll([...entries]),
    search: (query, passes) => {
      const terms = [...new Set(wordsIn(query, undefined))].slice(0, MOST_WORDS);
      const near = ranked(terms, passes, nearSlips);
      const found = new Set(near.flatMap(({ queryTerms }) => queryTerms));
      const far = terms.some((term) => !found.has(term) && slips(term) > nearSlips(term));
      const results = far ? ranked(terms, passes, (term) => (found.has(term) ? nearSlips(term) : 2)) : near;
      return results.map(({ id, score, match }) => ({ id: id as string, score, terms: match as Ranked['terms'] }));
    },
    toJSON: () => index.toJSON(),
  };
}
