// Another version of an index: its lines copied, but for those of tables that changed and of words that these have or had.
import type { TableId } from '../../core/ids.ts';
import { type TableEntries, withoutEntries } from './entries.ts';
import { type Card, cardOf, headLine, openIndex, type WorkspaceIndex } from './index-file.ts';
import { createLineSink } from './lines.ts';
import { appendWords, changedPosting, countWords, mostGrowth, type Posting, wordLine } from './postings.ts';
import type { WordLines } from './word-lines.ts';
import { must } from '../../core/check.ts';

/** The most that an index may have. */
export interface Room {
  readonly entries: number;
  /** Of its object. */
  readonly bytes: number;
}

export interface Patched {
  /** The object of the next version. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Tables that it has otherwise. */
  readonly changed: number;
  readonly counts: IndexCounts;
}

export interface IndexCounts {
  readonly tables: number;
  readonly entries: number;
  /** Tables that found no room. */
  readonly leftOut: number;
}

/** Bytes that are put in at once: what the words of more would take in memory is a multiple of that. */
const STEP = 4 * 2 ** 20;

/**
 * The index with other tables in it: `undefined` takes one out. Tables that would take it over its room stay out of it; those that were out
 * already and are no other change nothing.
 */
export function patched(
  index: WorkspaceIndex,
  changes: Iterable<readonly [TableId, TableEntries | undefined]>,
  room: Room,
): Patched {
  let patch = new IndexPatch(index, room);
  let changed = 0;
  for (const [id, next] of changes) {
    if (patch.change(id, next)) changed += 1;
    if (patch.grown < STEP) continue;
    patch = new IndexPatch(must(openIndex(patch.written()), 'what was just written').index, room);
  }
  return { bytes: patch.written(), changed, counts: patch.counts() };
}

interface TableLines {
  readonly card: Card;
  /** Of the card, and of the entries. */
  readonly lines: readonly [string, string];
}

interface Added extends TableLines {
  readonly words: ReadonlyMap<string, Posting>;
  /** That the object grows by at most. */
  readonly bytes: number;
}

class IndexPatch {
  /** Bytes that were put in, at most. */
  grown = 0;
  readonly #index: WorkspaceIndex;
  readonly #room: Room;
  readonly #kept: Map<TableId, Card>;
  readonly #added = new Map<TableId, TableLines>();
  readonly #words = new Map<string, Posting>();
  readonly #gone = { entries: new Set<number>(), words: new Set<string>() };
  #entries: number;
  #bytes: number;
  #next: number;

  constructor(index: WorkspaceIndex, room: Room) {
    this.#index = index;
    this.#room = room;
    this.#kept = new Map(index.cards);
    this.#entries = index.size;
    this.#bytes = index.lines.bytes.length;
    this.#next = index.next;
  }

  /** Each table once. False where it changes nothing. */
  change(id: TableId, next: TableEntries | undefined): boolean {
    const before = this.#kept.get(id);
    const within = next && this.#within(before, next);
    if (next !== undefined && within === undefined && before?.without === 'room' && before.manifest === next.manifest)
      return false;
    if (before !== undefined) this.#take(before);
    if (next !== undefined) this.#put(within ?? addedOf(withoutEntries(next, 'room'), this.#next));
    return true;
  }

  /** Undefined where there is no room for it in the place of what was there. */
  #within(before: Card | undefined, next: TableEntries): Added | undefined {
    const entries = this.#entries - (before?.lengths.length ?? 0);
    const most = next.without === undefined ? next.columns.length + 1 : 0;
    if (entries + most > this.#room.entries) return undefined;
    const added = addedOf(next, this.#next);
    return this.#bytes - (before ? this.#bytesOf(before) : 0) + added.bytes > this.#room.bytes ? undefined : added;
  }

  #bytesOf({ table }: Card): number {
    const { lines } = this.#index;
    const { card, entries } = this.#index.placesOf(table);
    return [card, entries].reduce((sum, place) => sum + lines.start(place + 1) - lines.start(place), 0);
  }

  /** The lines of its words never grow by what is taken out of them. */
  #take(card: Card): void {
    this.#kept.delete(card.table);
    this.#entries -= card.lengths.length;
    this.#bytes -= this.#bytesOf(card);
    if (card.lengths.length === 0) return;
    for (const at of card.lengths.keys()) this.#gone.entries.add(card.first + at);
    const { words } = countWords(this.#index.tableAt(card.table), card.first);
    for (const word of words.keys()) this.#gone.words.add(word);
  }

  #put({ card, lines, words, bytes }: Added): void {
    this.#added.set(card.table, { card, lines });
    appendWords(this.#words, words);
    this.#next += card.lengths.length;
    this.#entries += card.lengths.length;
    this.#bytes += bytes;
    this.grown += bytes;
  }

  counts(): IndexCounts {
    const cards = [...this.#kept.values(), ...[...this.#added.values()].map(({ card }) => card)];
    const leftOut = cards.filter(({ without }) => without === 'room').length;
    return { tables: cards.length, entries: this.#entries, leftOut };
  }

  written(): Uint8Array<ArrayBuffer> {
    const { lines, words, placesOf } = this.#index;
    const sink = createLineSink(this.#bytes);
    const head = { next: this.#next, tables: this.#kept.size + this.#added.size };
    sink.write(headLine({ ...head, terms: 0 }));
    const places = [...this.#kept.keys()].map(placesOf);
    for (const { card } of places) sink.copy(lines, card, card + 1);
    for (const {
      lines: [card],
    } of this.#added.values())
      sink.write(card);
    for (const { entries } of places) sink.copy(lines, entries, entries + 1);
    for (const {
      lines: [, entries],
    } of this.#added.values())
      sink.write(entries);
    const terms = writeWords(sink, words, new Set([...this.#gone.words, ...this.#words.keys()]), (word, posting) =>
      changedPosting(posting, this.#gone.entries, this.#words.get(word) ?? []),
    );
    sink.rewrite(headLine({ ...head, terms }));
    return sink.done();
  }
}

function addedOf(table: TableEntries, first: number): Added {
  const { lengths, words } = countWords(table, first);
  const card = cardOf(table, first, lengths);
  const lines = [JSON.stringify(card), JSON.stringify(table)] as const;
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  return { card, lines, words, bytes: bytes + mostGrowth(words, first + lengths.length) };
}

/** Answers how many there are. */
function writeWords(
  sink: ReturnType<typeof createLineSink>,
  before: WordLines,
  words: Iterable<string>,
  changedOf: (word: string, posting: Posting) => Posting,
): number {
  let [written, from] = [before.count, 0];
  // As the lines are: in order of UTF-16 units.
  for (const word of [...words].sort()) {
    const place = before.placeOf(word);
    const known = place < before.count && before.word(place) === word;
    sink.copy(before.lines, from, place);
    from = known ? place + 1 : place;
    const posting = changedOf(word, known ? before.posting(place) : []);
    if (posting.length > 0) sink.write(wordLine(word, posting));
    written += Number(posting.length > 0) - Number(known);
  }
  sink.copy(before.lines, from, before.count);
  return written;
}
