// The members of an object, left as written. Records mostly repeat the keys of those before, in one order and with the same space
// around them: what stood between two values is awaited there again, byte by byte, before it is read as a key.
import { type Cursor, type Kind, keyEnd, kindOf, missing, spaceEnd, valueEnd, valueStart } from './grammar.ts';
import { byteAt, code, type Text } from './lexemes.ts';

/** A key as it is written. */
export interface Key {
  /** The index of the column that its visitor found for it; below 0 at first. */
  column: number;
  /** What was seen to stand between its value and the next one. */
  readonly next: Lead[];
}

/** What stands before a value: from the end of the one before, or from behind the brace. */
interface Lead {
  readonly bytes: Buffer;
  /** Where its key stands in it, quotes included. */
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly key: Key;
}

/** The members of the object just read, as byte ranges; the arrays grow as needed and are used again. */
export interface Members {
  /** Of the record in the window. */
  start: number;
  end: number;
  count: number;
  /** The place of the member whose value is being read; -1 behind the last. */
  open: number;
  readonly keys: Key[];
  /** Of the key, quotes included. */
  readonly keyStarts: number[];
  readonly keyEnds: number[];
  readonly valueStarts: number[];
  readonly valueEnds: number[];
  readonly kinds: Kind[];
  /** The indexes of their columns; the visitor's. */
  readonly columns: number[];
}

export const noMembers = (): Members => ({
  ...{ start: 0, end: 0, count: 0, open: -1 },
  ...{ keys: [], keyStarts: [], keyEnds: [], valueStarts: [], valueEnds: [], kinds: [], columns: [] },
});

/** Keys that are known again: more than a table has columns. */
const MOST_KEYS = 1 << 14;
/** Leads that are known of one key: some records may leave out keys that others have. */
const MOST_LEADS = 4;
const MOST_LEAD_BYTES = 256;

const newKey = (): Key => ({ column: -1, next: [] });

function standsAt({ bytes: lead }: Lead, { bytes, end }: Text, from: number): boolean {
  const { length } = lead;
  if (end - from < length) return false;
  for (let index = 0; index < length; index++) if (lead[index] !== bytes[from + index]) return false;
  return true;
}

function knownLead(next: readonly Lead[], text: Text, from: number): Lead | undefined {
  for (let place = 0; place < next.length; place++) {
    const lead = next[place] as Lead;
    if (standsAt(lead, text, from)) return lead;
  }
  return undefined;
}

/** Reads objects one after the other, and learns from each. */
export function memberReader(): (cursor: Cursor, members: Members) => void {
  const first = newKey();
  const known = new Map<string, Key>();

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
    const bytes = Buffer.from(text.bytes.subarray(from, valueStart(text, end)));
    const key = keyAt(text.bytes, start, end);
    const lead = { bytes, keyStart: start - from, keyEnd: end - from, key };
    if (before.next.length < MOST_LEADS && bytes.length <= MOST_LEAD_BYTES) before.next.push(lead);
    return lead;
  };

  return (cursor, members) => {
    let at = cursor.at + 1;
    let before = first;
    let count = 0;
    for (; ; count++) {
      const lead = knownLead(before.next, cursor, at) ?? readLead(cursor, at, before);
      if (lead === undefined) break;
      members.keys[count] = lead.key;
      members.keyStarts[count] = at + lead.keyStart;
      members.keyEnds[count] = at + lead.keyEnd;
      const start = spaceEnd(cursor, at + lead.bytes.length);
      members.valueStarts[count] = start;
      members.open = count;
      at = valueEnd(cursor, start);
      members.valueEnds[count] = at;
      members.kinds[count] = kindOf(cursor.bytes[start] as number);
      before = lead.key;
    }
    members.count = count;
    members.open = -1;
    cursor.at = spaceEnd(cursor, at) + 1;
  };
}
