// The words of an index as lines in order, looked up where they stand: nothing is made of a line before somebody asks for its word.
import { reading } from './damage.ts';
import type { Lines } from './lines.ts';
import { nearWords, type OrderedWords } from './near-words.ts';
import { type Posting, postingIn } from './postings.ts';

export interface WordLines extends OrderedWords {
  readonly lines: Lines;
  /** Throws a DamagedIndex. */
  posting(place: number): Posting;
  /** Where a word stands, or would stand. */
  placeOf(word: string): number;
  find(word: string): Posting | undefined;
  /** Places of the words that begin so, the word itself among them. */
  beginning(start: string): Generator<number>;
  near(word: string, most: number): ReturnType<typeof nearWords>;
}

/** A line begins with `["`; no word has a quotation mark. */
const BEFORE = 2;
const QUOTE = 34;

export function wordLines(lines: Lines): WordLines {
  const { bytes, count } = lines;
  const bytesOf = (place: number, units: number): number => Buffer.byteLength(word(place).slice(0, units));

  function word(place: number): string {
    const from = lines.start(place) + BEFORE;
    const end = lines.start(place + 1);
    let to = from;
    while (to < end && bytes[to] !== QUOTE) to += 1;
    return bytes.toString('utf8', from, to);
  }

  /** The first place from `low` on whose line is not `before`, where those that are stand first. */
  function firstPast(low: number, high: number, before: (place: number) => boolean): number {
    let [from, to] = [low, high];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (before(middle)) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  function beginsAlike(one: number, other: number, size: number): boolean {
    const [start, otherStart] = [lines.start(one) + BEFORE, lines.start(other) + BEFORE];
    for (let at = 0; at < size; at++) if (bytes[start + at] !== bytes[otherStart + at]) return false;
    return true;
  }

  const ordered: OrderedWords = {
    count,
    word,
    behind: (place, units) => {
      const size = bytesOf(place, units);
      // Mostly it is near: what is looked at grows with the distance.
      let step = 1;
      while (place + step < count && beginsAlike(place, place + step, size)) step *= 2;
      const high = Math.min(count, place + step);
      return firstPast(place + (step >> 1), high, (each) => beginsAlike(place, each, size));
    },
  };
  const placeOf = (wanted: string): number => firstPast(0, count, (place) => word(place) < wanted);
  const posting = (place: number): Posting => reading('a word', () => postingIn(lines.text(place)));
  return {
    ...ordered,
    ...{ lines, placeOf, posting },
    find: (wanted) => {
      const place = placeOf(wanted);
      return place < count && word(place) === wanted ? posting(place) : undefined;
    },
    *beginning(start) {
      for (let place = placeOf(start); place < count && word(place).startsWith(start); place++) yield place;
    },
    near: (wanted, most) => nearWords(ordered, wanted, most),
  };
}
