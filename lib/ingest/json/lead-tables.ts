// What stands between values, as the loop that takes records reads it.
import type { Key, Lead } from './leads.ts';
import { TABLE_BYTES, type TakerMemory } from './taker-memory.ts';

const WORD_BYTES = 4;
/** Of a key or of a lead. */
const ENTRY_WORDS = 3;

function addFollowers({ next }: Key, keys: Map<Key, number>): void {
  for (const { key } of next) if (!keys.has(key)) keys.set(key, keys.size);
}

/** All keys that may follow each other from `first` on, that one first. */
function keysFrom(first: Key): Map<Key, number> {
  const keys = new Map([[first, 0]]);
  for (const key of keys.keys()) addFollowers(key, keys);
  return keys;
}

/** Writes the bytes of a lead to an address. */
function putBytes({ bytes }: TakerMemory, { words, length, lastWord }: Lead, address: number): void {
  for (const [place, word] of words.entries()) bytes.writeInt32LE(word, address + place * WORD_BYTES);
  bytes.writeInt32LE(lastWord, address + length - WORD_BYTES);
}

export interface LeadTables {
  /** Tells the loop what column each key has. */
  refresh(): void;
}

/** Writes the tables; undefined where they have no room. */
export function putLeads(memory: TakerMemory, first: Key): LeadTables | undefined {
  const keys = keysFrom(first);
  const leads = [...keys.keys()].flatMap(({ next }) => next);
  const entries = (keys.size + leads.length) * ENTRY_WORDS * WORD_BYTES;
  if (entries + leads.reduce((sum, { length }) => sum + length, 0) > TABLE_BYTES) return undefined;
  const { tables, at, loops } = memory;
  const leadsFrom = keys.size * ENTRY_WORDS;
  let bytesAt = at.tables + entries;
  let lead = 0;
  for (const [{ next }, place] of keys) {
    tables.set([lead, next.length], place * ENTRY_WORDS);
    for (const each of next) {
      tables.set([bytesAt, each.length, keys.get(each.key) ?? 0], leadsFrom + lead++ * ENTRY_WORDS);
      putBytes(memory, each, bytesAt);
      bytesAt += each.length;
    }
  }
  const list = [...keys.keys()];
  return {
    refresh: () => {
      loops.jsonTables(at.tables, at.tables + leadsFrom * WORD_BYTES);
      for (let place = 0; place < list.length; place++) tables[place * ENTRY_WORDS + 2] = (list[place] as Key).column;
    },
  };
}
