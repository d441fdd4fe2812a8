// Why an entry was found: its texts that hold a word of the index that was found, and where in them.
import { type Entry, fieldNames, type SearchField, textsOf } from './entries.ts';
import type { Ranked } from './text-index.ts';
import { nameTokensOf, tokensOf } from './tokens.ts';

export interface Match {
  readonly field: SearchField;
  /** The text, or a piece of it. */
  readonly text: string;
  /** Where in it: `[start, end)`, in UTF-16 units, in order, none in another. */
  readonly highlights: readonly (readonly [number, number])[];
}

/** Texts of one field that are shown, and characters of one. */
const MOST_TEXTS = 3;
const MOST_CHARACTERS = 200;

/** Empty where nothing of the entry has the words any more. */
export function matchesIn(entry: Entry, terms: Ranked['terms']): Match[] {
  return fieldNames.flatMap((field) => {
    const found = new Set(Object.keys(terms).filter((term) => terms[term]?.includes(field)));
    if (found.size === 0) return [];
    const matches = textsOf(entry, field).flatMap((text) => matchOf(field, text, found));
    return matches.slice(0, MOST_TEXTS);
  });
}

function matchOf(field: SearchField, text: string, found: ReadonlySet<string>): Match[] {
  const tokens = field === 'name' || field === 'table' ? nameTokensOf(text) : tokensOf(text);
  const places = merged(tokens.filter(({ term }) => found.has(term)).map(({ start, end }) => [start, end]));
  const [first] = places;
  if (first === undefined) return [];
  return [{ field, ...around(text, first[0], places) }];
}

/** Pairs of characters lie in one another. */
function merged(places: [number, number][]): [number, number][] {
  const apart: [number, number][] = [];
  for (const [start, end] of places.toSorted((one, other) => one[0] - other[0])) {
    const last = apart.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else apart.push([start, end]);
  }
  return apart;
}

/** A long text is cut a little before the first place. */
function around(text: string, first: number, places: readonly [number, number][]) {
  const from = text.length <= MOST_CHARACTERS ? 0 : Math.max(0, Math.min(first - 40, text.length - MOST_CHARACTERS));
  const to = from + MOST_CHARACTERS;
  return {
    text: text.slice(from, to).toWellFormed(),
    highlights: places
      .filter(([start, end]) => start >= from && end <= to)
      .map(([start, end]) => [start - from, end - from] as const),
  };
}
