// A way through the JSON of a text of any size, a value at a time: containers are entered, passed over, or are arrays whose elements are looked
// at one by one. Nothing but what one step reads is held, a text or a number or a small container, and where the walk stands is JSON, so that
// another run can go on there.
import { textOf } from './columns.ts';
import { type Cursor, code, incomplete, JsonProblem, missing, peek, skipKey, valueEnd } from './grammar.ts';

/** What becomes of a value: what is in it is told, one for one; its elements are told, and nothing in them; nothing is. */
export type Way = 'enter' | 'list' | 'pass';

/** A container that is open. */
interface Frame {
  readonly close: ']' | '}';
  readonly way: Way;
  /** Where it begins, in the whole text. */
  readonly start: number;
  /** Members that are behind. */
  members: number;
}

/** Where a walk stands; JSON. */
export interface Standing {
  /** What is awaited: a value, the first member, a key, what follows a member, nothing. */
  phase: 'value' | 'first' | 'key' | 'next' | 'end';
  /** The outermost first. */
  readonly open: Frame[];
  /** Of the member at hand, where what is around it was entered; of an element, its place. */
  name: string;
}

export const atStart = (): Standing => ({ phase: 'value', open: [], name: '' });

/** Of the member at hand. */
export interface At {
  /** The cursor is where its value begins. */
  readonly cursor: Cursor;
  readonly name: string;
  /** Containers around it. */
  readonly depth: number;
}

/** Who walks: all may throw a JsonProblem with a place in the window. */
export interface Walker {
  /** A key of an object that was entered, where it begins in the window and where it ends. */
  readonly key?: (name: string, start: number, end: number) => void;
  /** What is to become of a value; may be asked again of the same one. Only an array can be a list. */
  readonly value: (at: At) => Way;
  /** An element of a list, at the cursor, and its place from 0; may be told again of the same one. */
  readonly element?: (cursor: Cursor, place: number) => void;
  /** A list begins at `start` of the whole text. */
  readonly begun?: (start: number) => void;
  /** A value is behind that was not entered. */
  readonly behind?: (value: Behind) => void;
  /** What the text is, in a sentence. */
  readonly what: string;
}

export interface Behind {
  readonly way: Way;
  readonly name: string;
  /** Of a list, in the whole text. */
  readonly start: number;
  readonly end: number;
  readonly elements: number;
}

export interface Walk {
  readonly walker: Walker;
  readonly at: Standing;
  /** Where the window begins in the whole text. */
  offset: number;
}

const closeOf = (byte: number): Frame['close'] | undefined =>
  byte === code('[') ? ']' : byte === code('{') ? '}' : undefined;

/** Out of a container, or past a value, back into what it is a member of. */
function leave({ at }: Walk): void {
  const around = at.open.at(-1);
  if (around !== undefined) around.members++;
  at.phase = around === undefined ? 'end' : 'next';
}

function close(cursor: Cursor, walk: Walk): void {
  const { at, walker } = walk;
  const { way, start, members: elements } = at.open.pop() as Frame;
  leave(walk);
  const isWhole = way === 'list' || (way === 'pass' && at.open.at(-1)?.way === 'enter');
  if (isWhole) walker.behind?.({ way, name: at.name, start, end: walk.offset + cursor.at, elements });
}

function enter(cursor: Cursor, { at, offset, walker }: Walk, way: Way): void {
  const start = offset + cursor.at;
  const closing = closeOf(peek(cursor)) ?? ']';
  cursor.at++;
  at.open.push({ close: closing, way, start, members: 0 });
  at.phase = 'first';
  if (way === 'list') walker.begun?.(start);
}

/** A value that is not whole in the window is gone through in steps, where it has any. */
function pass(cursor: Cursor, walk: Walk): void {
  const { at, walker } = walk;
  const around = at.open.at(-1);
  let depth = 0;
  while (at.open.at(-1 - depth)?.way === 'pass') depth++;
  try {
    cursor.at = valueEnd(cursor, cursor.at, depth);
  } catch (thrown) {
    if (thrown !== incomplete || cursor.at >= cursor.end || closeOf(peek(cursor)) === undefined) throw thrown;
    return enter(cursor, walk, 'pass');
  }
  leave(walk);
  if (around?.way === 'enter') walker.behind?.({ way: 'pass', name: at.name, start: 0, end: 0, elements: 0 });
}

function value(cursor: Cursor, walk: Walk): void {
  const { at, walker } = walk;
  const around = at.open.at(-1);
  peek(cursor);
  if (around !== undefined && around.way !== 'enter') {
    if (around.way === 'list') walker.element?.(cursor, around.members);
    return pass(cursor, walk);
  }
  if (around?.close === ']') at.name = String(around.members);
  const way = walker.value({ cursor, name: at.name, depth: at.open.length });
  return way === 'pass' ? pass(cursor, walk) : enter(cursor, walk, way);
}

function key(cursor: Cursor, { at, walker }: Walk): void {
  const start = cursor.at;
  const end = skipKey(cursor);
  if (at.open.at(-1)?.way === 'enter') {
    at.name = textOf(cursor.bytes, start, end);
    walker.key?.(at.name, start, end);
  }
  at.phase = 'value';
}

/** Whether a comma or the end follows a member; passes over it. */
function goesOn(cursor: Cursor, around: Frame | undefined): boolean {
  const { close: closing = ']', way = 'enter' } = around ?? {};
  const byte = peek(cursor);
  if (byte !== code(',') && byte !== code(closing)) {
    // As the grammar says it of what it passes over at once.
    if (way === 'pass') throw missing(cursor.at, code(','));
    throw new JsonProblem(cursor.at, `"," or "${closing}" is missing here.`);
  }
  cursor.at++;
  return byte === code(',');
}

/** One step, whole or not at all. Throws `incomplete`, or a JsonProblem with its place in the window. */
export function step(cursor: Cursor, walk: Walk): void {
  const { at, walker } = walk;
  const closing = at.open.at(-1)?.close ?? ']';
  const member = closing === '}' ? 'key' : 'value';
  switch (at.phase) {
    case 'value':
      return value(cursor, walk);
    case 'key':
      return key(cursor, walk);
    case 'end':
      throw new JsonProblem(cursor.at, `text follows the end of the ${walker.what}.`);
    case 'first':
      if (peek(cursor) !== code(closing)) {
        at.phase = member;
        return;
      }
      cursor.at++;
      return close(cursor, walk);
    case 'next':
      if (goesOn(cursor, at.open.at(-1))) at.phase = member;
      else close(cursor, walk);
  }
}
