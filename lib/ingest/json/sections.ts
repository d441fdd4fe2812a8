// A JSON file that is one object: each key that holds an array of objects is a table of its own. One pass finds where these arrays stand;
// they are then read as a file with that array would be.
import { createHash } from 'node:crypto';
import { MAX_PUBLICATIONS } from '../../job/ports.ts';
import { NAME_BYTES } from '../formats/cells.ts';
import type { WindowSource } from '../formats/windows.ts';
import { code, JsonProblem, peek } from './grammar.ts';
import { atStart, type Behind, type Walker } from './walk.ts';
import { walkThrough } from './walk-through.ts';

/** An array of objects below a key. */
export interface Section {
  readonly key: string;
  /** Of its brackets: the offset of the first byte, and of the one behind the last. */
  readonly start: number;
  readonly end: number;
}

/** What was found up to where a walk stands; JSON. */
export interface Sections {
  /** The first, as many as one job may publish. */
  readonly tables: Section[];
  count: number;
  /** Keys that hold something else, an array without elements among them. */
  others: number;
  /** The first of them. */
  readonly named: string[];
  /** In the array at hand. */
  objects: number;
}

/** Keys that a warning names. */
export const NAMED_KEYS = 5;
/** Each is remembered, so that none stands twice. */
const MOST_KEYS = 100_000;
const DIGEST_CHARACTERS = 44;

/** A key for as long as it is remembered: short, and unlike any other's. */
const remembered = (key: string): string =>
  key.length < DIGEST_CHARACTERS ? key : createHash('sha256').update(key).digest('base64');

export const noSections = (): Sections => ({ tables: [], count: 0, others: 0, named: [], objects: 0 });

/** Adds to `found`, and to the `keys` that it has met, as `remember` is told of the new ones. */
export function sectionsWalker(found: Sections, keys: Set<string>, remember?: (key: string) => void): Walker {
  const meet = (name: string, start: number): void => {
    const own = remembered(name);
    if (keys.has(own)) throw new JsonProblem(start, `the key ${JSON.stringify(name)} stands twice in the object.`);
    if (keys.size >= MOST_KEYS) throw new JsonProblem(start, `the object has more than ${MOST_KEYS} keys.`);
    keys.add(own);
    remember?.(own);
  };
  const settle = ({ way, name, start, end, elements }: Behind): void => {
    if (way !== 'list' || elements === 0 || found.objects < elements) {
      if (++found.others <= NAMED_KEYS) found.named.push(name);
    } else if (++found.count <= MAX_PUBLICATIONS) found.tables.push({ key: name, start, end });
  };
  return {
    what: 'object',
    key: (name, start, end) => {
      if (end - start > NAME_BYTES) throw new JsonProblem(start, `a key takes more than ${NAME_BYTES} bytes.`);
      meet(name, start);
    },
    value: ({ cursor, depth }) => {
      if (depth > 0) return peek(cursor) === code('[') ? 'list' : 'pass';
      if (peek(cursor) !== code('{')) throw new JsonProblem(cursor.at, 'an object is expected here.');
      return 'enter';
    },
    begun: () => {
      found.objects = 0;
    },
    element: (cursor) => {
      if (peek(cursor) === code('{')) found.objects++;
    },
    behind: settle,
  };
}

/** Reads the whole file, which is one object. Faults: PARSE_ERROR with the place, LINE_TOO_LONG, ENCODING_INVALID. */
export async function findSections(source: WindowSource): Promise<Sections> {
  const found = noSections();
  await walkThrough(source, sectionsWalker(found, new Set()), atStart());
  return found;
}
