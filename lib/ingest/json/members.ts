// The members of an object, left as written.
import { type Cursor, kindOf, spaceEnd, valueEnd } from './grammar.ts';
import type { Key, Leads } from './leads.ts';

/** The members of the object just read, as byte ranges; the arrays grow as needed and are used again. */
export interface Members {
  /** Of the record in the window. */
  start: number;
  end: number;
  count: number;
  /** The place of the member whose value is being read; -1 behind the last. */
  open: number;
  /** Another number wherever the keys are not those of the record before, in their order. */
  shape: number;
  readonly keys: Key[];
  /** Of the key, quotes included. */
  readonly keyStarts: number[];
  readonly keyEnds: number[];
  readonly valueStarts: number[];
  readonly valueEnds: number[];
  /** Places in `kinds`. */
  readonly kinds: number[];
  /** The indexes of their columns, and the shape that these are of; the visitor's. */
  readonly columns: number[];
  located: number;
}

export const noMembers = (): Members => ({
  ...{ start: 0, end: 0, count: 0, open: -1, shape: 0, located: -1 },
  ...{ keys: [], keyStarts: [], keyEnds: [], valueStarts: [], valueEnds: [], kinds: [], columns: [] },
});

/** Reads objects one after the other, and learns from each. */
export function memberReader(leads: Leads): (cursor: Cursor, members: Members) => void {
  return (cursor, members) => {
    const { keys, keyStarts, keyEnds, valueStarts, valueEnds, kinds } = members;
    let at = cursor.at + 1;
    let before = leads.first;
    let count = 0;
    for (; ; count++) {
      const lead = leads.at(cursor, at, before);
      if (lead === undefined) break;
      before = lead.key;
      if (keys[count] !== before) {
        keys[count] = before;
        members.shape++;
      }
      keyStarts[count] = at + lead.keyStart;
      keyEnds[count] = at + lead.keyEnd;
      const start = spaceEnd(cursor, at + lead.length);
      valueStarts[count] = start;
      members.open = count;
      at = valueEnd(cursor, start);
      valueEnds[count] = at;
      kinds[count] = kindOf(cursor.bytes[start] as number);
    }
    if (members.count !== count) members.shape++;
    members.count = count;
    members.open = -1;
    cursor.at = spaceEnd(cursor, at) + 1;
  };
}
