// Which entries have a word, in which field and how often: counted from the texts of a table, and kept as a line of the index. Entries have
// numbers there, which are never given twice.
import { entriesOf, fieldNames, type SearchField, type TableEntries, textsOf } from './entries.ts';
import { nameTokensOf, tokensOf } from './tokens.ts';

/** A list a field: its place in `fieldNames`, then by pairs the number of an entry and how often it has the word, ascending. */
export type Posting = number[][];

export interface Counted {
  /** Of each entry: how many different words each field has. */
  readonly lengths: readonly (readonly number[])[];
  readonly words: ReadonlyMap<string, Posting>;
}

const named: ReadonlySet<string> = new Set<SearchField>(['name', 'table']);

export const wordsIn = (text: string, field?: SearchField): string[] => {
  const tokens = field !== undefined && named.has(field) ? nameTokensOf(text) : tokensOf(text);
  return tokens.map(({ term }) => term);
};

/** What the entries of a table say; the first has the number `first`. */
export function countWords(table: TableEntries, first: number): Counted {
  const words = new Map<string, Posting>();
  const lengths = entriesOf(table).map((entry, at) =>
    fieldNames.map((field, number) => {
      const found = textsOf(entry, field).flatMap((text) => wordsIn(text, field));
      for (const word of found) count(words, word, number, first + at);
      return new Set(found).size;
    }),
  );
  return { lengths, words };
}

/** Entries are counted in the order of their numbers. */
function count(words: Map<string, Posting>, word: string, field: number, entry: number): void {
  const list = listOf(wordOf(words, word), field);
  if (list.length > 1 && list[list.length - 2] === entry) list[list.length - 1] = (list.at(-1) ?? 0) + 1;
  else list.push(entry, 1);
}

function wordOf(words: Map<string, Posting>, word: string): Posting {
  const known = words.get(word) ?? [];
  if (known.length === 0) words.set(word, known);
  return known;
}

function listOf(posting: Posting, field: number): number[] {
  const known = posting.find(([each]) => each === field);
  if (known !== undefined) return known;
  const list = [field];
  posting.push(list);
  return list;
}

/** Appends to `words` what is said of entries with higher numbers. */
export function appendWords(words: Map<string, Posting>, more: ReadonlyMap<string, Posting>): void {
  for (const [word, posting] of more) append(wordOf(words, word), posting);
}

function append(posting: Posting, more: Posting): void {
  for (const [field = 0, ...pairs] of more) {
    const list = listOf(posting, field);
    for (const each of pairs) list.push(each);
  }
}

/** Without the entries that are `gone`, and with those of `more`, whose numbers are higher. Empty where no entry is left. */
export function changedPosting(posting: Posting, gone: ReadonlySet<number>, more: Posting): Posting {
  const kept = posting.map((list) => withoutGone(list, gone)).filter((list) => list.length > 1);
  append(kept, more);
  return kept;
}

const withoutGone = (list: readonly number[], gone: ReadonlySet<number>): number[] =>
  list.filter((_, at) => at === 0 || !gone.has(list[at % 2 === 1 ? at : at - 1] ?? -1));

/** `["word",[field,entry,times,…],…]`, each entry after the first as the distance to the one before it. */
export const wordLine = (word: string, posting: Posting): string => JSON.stringify([word, ...posting.map(distances)]);

const distances = (list: readonly number[]): number[] =>
  list.map((each, at) => (at % 2 === 1 && at > 1 ? each - (list[at - 2] ?? 0) : each));

/** Reads a line of `wordLine`. */
export function postingIn(line: string): Posting {
  const [, ...lists] = JSON.parse(line) as [string, ...Posting];
  for (const list of lists)
    for (let at = 3; at < list.length; at += 2) list[at] = (list[at] ?? 0) + (list[at - 2] ?? 0);
  return lists;
}

/** Bytes that the lines of an index grow by at most when `words` are put in; `next`: above every number. */
export function mostGrowth(words: ReadonlyMap<string, Posting>, next: number): number {
  const number = String(next).length + 1;
  let bytes = 0;
  for (const [word, posting] of words) {
    bytes += Buffer.byteLength(word) + 5;
    for (const list of posting) bytes += 4 + String(list[0]).length + pairsGrowth(list, number);
  }
  return bytes;
}

function pairsGrowth(list: readonly number[], number: number): number {
  let bytes = 0;
  for (let at = 2; at < list.length; at += 2) bytes += number + String(list[at]).length + 1;
  return bytes;
}
