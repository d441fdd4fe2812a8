// A JSON file that is one object: each key that holds an array of objects is a table of its own. One pass finds where these arrays stand;
// they are then read as a file with that array would be.
import { parseError } from '../formats/place.ts';
import { eachWindow, type Window, type WindowSource } from '../formats/windows.ts';
import { textOf } from './columns.ts';
import { type Cursor, code, incomplete, JsonProblem, peek, skipKey, skipSpace, skipValue } from './grammar.ts';

/** An array of objects below a key. */
export interface Section {
  readonly key: string;
  /** Of its brackets: the offset of the first byte, and of the one behind the last. */
  readonly start: number;
  readonly end: number;
}

export interface Sections {
  readonly tables: readonly Section[];
  /** Keys that hold something else, an array without elements among them. */
  readonly others: readonly string[];
}

type Phase =
  | 'open'
  | 'first key'
  | 'key'
  | 'value'
  | 'first element'
  | 'element'
  | 'next element'
  | 'next key'
  | 'closed';

interface Progress {
  phase: Phase;
  key: string;
  start: number;
  elements: number;
  objects: number;
  readonly keys: Set<string>;
  readonly tables: Section[];
  readonly others: string[];
}

const START = { phase: 'open', key: '', start: 0, elements: 0, objects: 0 } as const;

/** Whether a comma or the end follows; passes over it. */
function goesOn(cursor: Cursor, close: ']' | '}'): boolean {
  const byte = peek(cursor);
  if (byte !== code(',') && byte !== code(close))
    throw new JsonProblem(cursor.at, `"," or "${close}" is missing here.`);
  cursor.at++;
  return byte === code(',');
}

function readKey(cursor: Cursor, progress: Progress): Phase {
  const start = cursor.at;
  const end = skipKey(cursor);
  const key = textOf(cursor.bytes, start, end);
  if (progress.keys.has(key))
    throw new JsonProblem(start, `the key ${JSON.stringify(key)} stands twice in the object.`);
  progress.keys.add(key);
  progress.key = key;
  return 'value';
}

function readValue(cursor: Cursor, progress: Progress, offset: number): Phase {
  if (peek(cursor) !== code('[')) {
    skipValue(cursor);
    progress.others.push(progress.key);
    return 'next key';
  }
  Object.assign(progress, { start: offset + cursor.at, elements: 0, objects: 0 });
  cursor.at++;
  return 'first element';
}

function readElement(cursor: Cursor, progress: Progress): Phase {
  const isObject = peek(cursor) === code('{');
  skipValue(cursor);
  progress.elements++;
  if (isObject) progress.objects++;
  return 'next element';
}

function closeArray(cursor: Cursor, progress: Progress, offset: number): Phase {
  const { key, start, elements, objects } = progress;
  if (elements > 0 && objects === elements) progress.tables.push({ key, start, end: offset + cursor.at });
  else progress.others.push(key);
  return 'next key';
}

/** Passes over the bracket of an empty list; whether there was one. */
function isEmpty(cursor: Cursor, close: ']' | '}'): boolean {
  if (peek(cursor) !== code(close)) return false;
  cursor.at++;
  return true;
}

const steps: Readonly<Record<Phase, (cursor: Cursor, progress: Progress, offset: number) => Phase>> = {
  open: (cursor) => {
    if (peek(cursor) !== code('{')) throw new JsonProblem(cursor.at, 'an object is expected here.');
    cursor.at++;
    return 'first key';
  },
  'first key': (cursor) => (isEmpty(cursor, '}') ? 'closed' : 'key'),
  key: readKey,
  value: readValue,
  'first element': (cursor, progress, offset) =>
    isEmpty(cursor, ']') ? closeArray(cursor, progress, offset) : 'element',
  element: readElement,
  'next element': (cursor, progress, offset) =>
    goesOn(cursor, ']') ? 'element' : closeArray(cursor, progress, offset),
  'next key': (cursor) => (goesOn(cursor, '}') ? 'key' : 'closed'),
  closed: (cursor) => {
    throw new JsonProblem(cursor.at, 'text follows the end of the object.');
  },
};

/** Whether nothing but white space is left, and nothing is awaited that is not in a later window. */
function isUsedUp(cursor: Cursor, phase: Phase): boolean {
  skipSpace(cursor);
  return cursor.at >= cursor.end && (phase === 'closed' || !cursor.last);
}

/** The bytes of the window that are done with: a step is taken whole or not at all. */
function readWindow(window: Window, cursor: Cursor, progress: Progress): number {
  Object.assign(cursor, { bytes: window.bytes, at: 0, end: window.end, last: window.last });
  let whole = 0;
  try {
    while (!isUsedUp(cursor, progress.phase)) {
      whole = cursor.at;
      progress.phase = steps[progress.phase](cursor, progress, window.offset);
    }
    return cursor.at;
  } catch (thrown) {
    if (thrown === incomplete) return whole;
    if (thrown instanceof JsonProblem) throw new JsonProblem(window.offset + thrown.at, thrown.message);
    throw thrown;
  }
}

/** Reads the whole file, which is one object. Faults: PARSE_ERROR with the place, LINE_TOO_LONG, ENCODING_INVALID. */
export async function findSections(source: WindowSource): Promise<Sections> {
  const progress: Progress = { ...START, keys: new Set(), tables: [], others: [] };
  const cursor: Cursor = { bytes: Buffer.alloc(0), at: 0, end: 0, last: false, lines: 'space' };
  try {
    await eachWindow(source, (window) => readWindow(window, cursor, progress));
  } catch (thrown) {
    if (!(thrown instanceof JsonProblem)) throw thrown;
    throw await parseError(source, thrown.at, thrown.message);
  }
  return { tables: progress.tables, others: progress.others };
}
