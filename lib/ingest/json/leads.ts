// What stands between two values of an object: a key, and the comma, the colon and the space around it. Records mostly repeat those of the
// records before in one order, so that what was seen there is awaited there again, four bytes at a time, before it is read as a key.
import { keyEnd, missing, spaceEnd, valueStart } from './grammar.ts';
import { byteAt, code, type Text } from './lexemes.ts';

/** A key as it is written. */
export interface Key {
  /** The index of the column that its visitor found for it; below 0 at first. */
  column: number;
  /** What was seen to stand between its value and the next one. */
  readonly next: Lead[];
}

/** What stands before a value: from the end of the one before, or from behind the brace. */
export interface Lead {
  readonly length: number;
  /** Its bytes, but for the last of them that are no whole word. */
  readonly words: Int32Array;
  /** Its last four bytes. */
  readonly lastWord: number;
  /** Where its key stands in it, quotes included. */
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly key: Key;
}

/** Keys that are known again: more than a table has columns. */
const MOST_KEYS = 1 << 14;
/** Leads that are known of one key: some records may leave out keys that others have. */
const MOST_LEADS = 16;
const MOST_LEAD_BYTES = 256;
const WORD_BYTES = 4;

const newKey = (): Key => ({ column: -1, next: [] });

function standsAt(lead: Lead, { view, end }: Text, from: number): boolean {
  const { length, words } = lead;
  if (end - from < length) return false;
  for (let place = 0, at = from; place < words.length; place++, at += WORD_BYTES)
    if (view.getInt32(at, true) !== words[place]) return false;
  return view.getInt32(from + length - WORD_BYTES, true) === lead.lastWord;
}

function knownLead({ next }: Key, text: Text, from: number): Lead | undefined {
  for (let place = 0; place < next.length; place++) {
    const lead = next[place] as Lead;
    if (standsAt(lead, text, from)) return lead;
  }
  return undefined;
}

const noWords = new Int32Array();

function wordsOf({ view }: Text, from: number, length: number): Int32Array {
  return Int32Array.from({ length: Math.floor(length / WORD_BYTES) }, (_, place) =>
    view.getInt32(from + place * WORD_BYTES, true),
  );
}

export interface Leads {
  /** Stands before the first key. */
  readonly first: Key;
  /** Changes with what is known. */
  version(): number;
  /** What stands there; undefined where the object ends. */
  at(text: Text, from: number, before: Key): Lead | undefined;
}

/** Reads what stands before values, and learns from it. */
export function leadReader(): Leads {
  const first = newKey();
  const known = new Map<string, Key>();
  let version = 0;

  const keyAt = (bytes: Buffer, start: number, end: number): Key => {
    const raw = bytes.toString('latin1', start, end);
    const key = known.get(raw) ?? newKey();
    if (known.size < MOST_KEYS) known.set(raw, key);
    return key;
  };
  /** Undefined where the object ends. */
  const readLead = (text: Text, from: number, before: Key): Lead | undefined => {
    let start = spaceEnd(text, from);
    const byte = byteAt(text, start);
    if (byte === code('}')) return undefined;
    if (before !== first) {
      if (byte !== code(',')) throw missing(start, code(','));
      start = spaceEnd(text, start + 1);
    }
    const end = keyEnd(text, start);
    const length = valueStart(text, end) - from;
    const isKept = before.next.length < MOST_LEADS && length >= WORD_BYTES && length <= MOST_LEAD_BYTES;
    const lead = {
      ...{ length, keyStart: start - from, keyEnd: end - from, key: keyAt(text.bytes, start, end) },
      words: isKept ? wordsOf(text, from, length) : noWords,
      lastWord: isKept ? text.view.getInt32(from + length - WORD_BYTES, true) : 0,
    };
    if (isKept) {
      before.next.push(lead);
      version++;
    }
    return lead;
  };
  return {
    first,
    version: () => version,
    at: (text, from, before) => knownLead(before, text, from) ?? readLead(text, from, before),
  };
}
