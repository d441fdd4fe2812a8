// Ranked full text over entries: BM25+ by MiniSearch, with beginnings of words and words that are spelled a little otherwise. The library
// ranks; where words stand it is told from the lines of the index, since its own maps take many times their bytes.
import MiniSearch, { type Options } from 'minisearch';
import { DamagedIndex } from './damage.ts';
import { type Entry, fieldNames, type SearchField, searchFields } from './entries.ts';
import { type Posting, wordsIn } from './postings.ts';
import type { WordLines } from './word-lines.ts';

export interface Ranked {
  readonly id: string;
  readonly score: number;
  /** The words of the index that were found, and in which fields. */
  readonly terms: Readonly<Record<string, readonly SearchField[]>>;
}

export interface TextIndex {
  /** Best first. Throws a DamagedIndex. */
  search(query: string, passes: (id: string) => boolean): Ranked[];
}

/** An entry by its number in the lines. */
export interface NumberedEntry {
  readonly number: number;
  readonly id: string;
  /** How many different words each field has. */
  readonly lengths: readonly number[];
}

const options: Options<Entry> = { fields: fieldNames, processTerm: (term) => term };

/** By field, then by the number of an entry: how often it has the word. */
type FieldMaps = ReadonlyMap<number, ReadonlyMap<number, number>>;

/** What the library asks of its index of words. */
interface Words {
  get(word: string): FieldMaps | undefined;
  atPrefix(start: string): Iterable<readonly [string, FieldMaps]>;
  fuzzyGet(word: string, most: number): Map<string, readonly [FieldMaps, number]>;
}

function wordsOf(lines: WordLines, isEntry: (number: number) => boolean): Words {
  const mapsAt = (place: number): FieldMaps => mapsOf(lines.posting(place), isEntry);
  return {
    get: (word) => {
      const posting = lines.find(word);
      return posting && mapsOf(posting, isEntry);
    },
    // One after the other: a short beginning is that of very many words.
    *atPrefix(start) {
      for (const place of lines.beginning(start)) yield [lines.word(place), mapsAt(place)];
    },
    fuzzyGet: (word, most) => {
      const near = new Map<string, readonly [FieldMaps, number]>();
      for (const each of lines.near(word, most)) near.set(each.word, [mapsAt(each.place), each.distance]);
      return near;
    },
  };
}

/** Throws a DamagedIndex for a field or an entry that there is not. */
function mapsOf(posting: Posting, isEntry: (number: number) => boolean): FieldMaps {
  return new Map(
    posting.map((list) => {
      const [field = -1] = list;
      const entries = new Map<number, number>();
      for (let at = 1; at < list.length; at += 2) entries.set(list[at] ?? -1, list[at + 1] ?? 0);
      if (fieldNames[field] === undefined || ![...entries.keys()].every(isEntry))
        throw new DamagedIndex('It cannot be read: a word.');
      return [field, entries];
    }),
  );
}

/** Fills what the library keeps of its documents and reads when it searches; nothing is added to it. */
class LineSearch extends MiniSearch<Entry> {
  constructor(lines: WordLines, entries: Iterable<NumberedEntry>) {
    super(options);
    const words = wordsOf(lines, (number) => this._documentIds.has(number));
    this._index = words as unknown as typeof this._index;
    const sums = fieldNames.map(() => 0);
    for (const { number, id, lengths } of entries) {
      this._documentIds.set(number, id);
      this._fieldLength.set(number, lengths as number[]);
      for (const [field, length] of lengths.entries()) sums[field] = (sums[field] ?? 0) + length;
    }
    this._documentCount = this._documentIds.size;
    this._avgFieldLength = sums.map((sum) => sum / this._documentCount);
  }
}

/** How many letters of a word may be wrong, of which two that changed places are two; a number is another number where a digit is. */
function slips(term: string): number {
  if (/\p{N}/u.test(term) || term.length < 4) return 0;
  return term.length < 5 ? 1 : 2;
}

/** What is two letters off is mostly another word where the word is short: it counts only where nothing is nearer. */
const nearSlips = (term: string): number => (term.length < 7 ? 1 : 2);

/** Words of a query that are looked for, so that a pasted page costs no more than a question. */
const MOST_WORDS = 20;

export const createTextIndex = (lines: WordLines, entries: Iterable<NumberedEntry>): TextIndex =>
  rankedBy(new LineSearch(lines, entries));

/** Its fields are `fieldNames`, and its words as `wordsIn` makes them. */
export function rankedBy(index: MiniSearch<Entry>): TextIndex {
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
    search: (query, passes) => {
      const terms = [...new Set(wordsIn(query))].slice(0, MOST_WORDS);
      const near = ranked(terms, passes, nearSlips);
      const found = new Set(near.flatMap(({ queryTerms }) => queryTerms));
      const far = terms.some((term) => !found.has(term) && slips(term) > nearSlips(term));
      const results = far ? ranked(terms, passes, (term) => (found.has(term) ? nearSlips(term) : 2)) : near;
      return results.map(({ id, score, match }) => ({ id: id as string, score, terms: match as Ranked['terms'] }));
    },
  };
}
