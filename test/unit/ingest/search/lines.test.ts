import fc from 'fast-check';
import MiniSearch from 'minisearch';
import SearchableMap from 'minisearch/SearchableMap';
import { describe, expect, it } from 'vitest';
import { entriesOf, type Entry, fieldNames, type SearchField, textsOf } from '../../../../lib/ingest/search/entries.ts';
import { emptyIndex, type WorkspaceIndex } from '../../../../lib/ingest/search/index-file.ts';
import { patched } from '../../../../lib/ingest/search/index-patch.ts';
import { readIndex } from '../../../../lib/ingest/search/index-read.ts';
import { linesIn } from '../../../../lib/ingest/search/lines.ts';
import { wordLine, wordsIn } from '../../../../lib/ingest/search/postings.ts';
import { rankedBy, type TextIndex } from '../../../../lib/ingest/search/text-index.ts';
import { folded } from '../../../../lib/ingest/search/tokens.ts';
import { wordLines } from '../../../../lib/ingest/search/word-lines.ts';
import { anyRoom, aTable, changedIndex, tableIdOf } from '../../../support/search-index.ts';

/** Few letters, so that words begin alike and are near one another; one is two units of UTF-16, one has another order in UTF-8. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '𐐷', 'ﭏ', '顧', '1'), minLength: 1, maxLength: 9 });
const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));
const texts = fc.array(text, { maxLength: 3 });
const known = fc.record({ description: text, synonyms: texts, samples: texts, semanticType: text });
const table = fc.record({ at: fc.nat(5), name: word, known, columns: fc.dictionary(word, known, { maxKeys: 4 }) });
const change = fc.record({ table, gone: fc.boolean() });

/** The library as it is meant to be used. */
const options = {
  fields: fieldNames,
  extractField: (entry: Entry, field: string) =>
    field === 'id' ? entry.id : textsOf(entry, field as SearchField).join('\n'),
  tokenize: (of: string, field?: string) => wordsIn(of, field as SearchField),
  processTerm: (term: string) => term,
};

const answers = (index: TextIndex, query: string) =>
  index.search(query, () => true).map(({ id, score, terms }) => [id, Number(score.toPrecision(9)), terms] as const);
const byId = (found: ReturnType<typeof answers>) => found.toSorted(([one], [other]) => (one < other ? -1 : 1));

const changesOf = (
  changes: readonly { table: { at: number; name: string; known: object; columns: object }; gone: boolean }[],
) =>
  changes.map(({ table: { at, name, known: more, columns }, gone }) => ({
    id: tableIdOf(at),
    next: gone ? undefined : aTable(at, name, columns as Record<string, object>, more),
  }));

describe('an index of lines', () => {
  it('answers as the library does over the same entries, whatever was put in and taken out', () => {
    const given = [
      fc.array(change, { minLength: 1, maxLength: 12 }),
      fc.array(text, { minLength: 1, maxLength: 5 }),
    ] as const;
    fc.assert(
      fc.property(...given, (changes, queries) => {
        const library = new MiniSearch<Entry>(options);
        const inLibrary = new Map<unknown, Entry[]>();
        let index = emptyIndex();
        for (const { id, next } of changesOf(changes)) {
          index = changedIndex(index, [[id, next]]);
          library.removeAll(inLibrary.get(id) ?? []);
          inLibrary.set(id, next ? entriesOf(next) : []);
          library.addAll(inLibrary.get(id) ?? []);
        }
        const kept = MiniSearch.loadJS(library.toJSON(), options);
        for (const query of queries) {
          const found = answers(index.text, query);
          expect(byId(found)).toEqual(byId(answers(rankedBy(kept), query)));
          expect(found.map(([, score]) => score)).toEqual(
            found.map(([, score]) => score).sort((one, other) => other - one),
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is the same bytes when it was written and read, and when nothing of it changes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
        const index = built(changes);
        const again = readIndex(index.lines.bytes);
        expect(patched(again, [], anyRoom)).toMatchObject({ changed: 0, bytes: index.lines.bytes });
      }),
    );
  });

  it('has no more entries and bytes than there is room for, and says what it leaves out', () => {
    const given = [fc.array(change, { maxLength: 12 }), fc.integer({ min: 200, max: 5000 }), fc.nat(15)] as const;
    fc.assert(
      fc.property(...given, (changes, bytes, entries) => {
        let index = emptyIndex();
        for (const { id, next } of changesOf(changes)) {
          const out = [...index.cards.values()].filter(({ without }) => without === 'room').length;
          const cards = 400 * (index.cards.size + 1);
          const patch = patched(index, [[id, next]], { bytes, entries });
          index = readIndex(patch.bytes);
          // The card of what is left out is there all the same.
          expect(patch.bytes.length).toBeLessThanOrEqual(bytes + cards);
          expect(index.size).toBeLessThanOrEqual(entries);
          expect(patch.counts).toMatchObject({ tables: index.cards.size, entries: index.size });
          expect(patch.counts.leftOut).toBe(
            [...index.cards.values()].filter(({ without }) => without === 'room').length,
          );
          expect(Math.abs(patch.counts.leftOut - out)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  const built = (changes: Parameters<typeof changesOf>[0]): WorkspaceIndex =>
    changesOf(changes).reduce((index, { id, next }) => changedIndex(index, [[id, next]]), emptyIndex());
});

describe('lines of words', () => {
  const linesOf = (words: readonly string[]) => {
    const lines = [...new Set(words)].sort().map((each, at) => `${wordLine(each, [[0, at, 1]])}\n`);
    return wordLines(linesIn(Buffer.from(lines.join('')), lines.length));
  };

  it('find the words at a distance that the library finds', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), word, fc.integer({ min: 1, max: 3 }), (words, query, most) => {
        const library = SearchableMap.from<true>(words.map((each) => [each, true] as const)).fuzzyGet(query, most);
        const found = [...linesOf(words).near(query, most)].map((each) => [each.word, each.distance]);
        expect(found).toEqual([...library].map(([each, [, distance]]) => [each, distance]).sort());
      }),
      { numRuns: 2000 },
    );
  });

  it('find the words that begin so, and each by itself', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), word, (words, start) => {
        const lines = linesOf(words);
        const beginning = [...lines.beginning(start)].map((place) => lines.word(place));
        expect(beginning).toEqual([...new Set(words)].filter((each) => each.startsWith(start)).sort());
        for (const each of words) expect(lines.posting(lines.placeOf(each))).toEqual(lines.find(each));
        expect(lines.find(`${start}z`)).toBeUndefined();
      }),
    );
  });

  it('have no word that JSON writes otherwise', () => {
    const letters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter((each) =>
      /^[\p{L}\p{N}\p{M}]$/u.test(each),
    );
    expect(letters.map(folded).filter((each) => JSON.stringify(each) !== `"${each}"`)).toEqual([]);
  });
});
