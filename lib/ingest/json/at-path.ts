// Finds the array that is the table at a path through a JSON file. What stands beside it is passed over, a member at a time, and proven to be JSON.
import { Fault } from '../../core/fault.ts';
import { parseError } from '../formats/place.ts';
import { eachWindow, type Window, type WindowSource } from '../formats/windows.ts';
import { textOf } from './columns.ts';
import { type Cursor, code, incomplete, JsonProblem, peek, skipKey, skipSpace, skipValue } from './grammar.ts';
import type { Section } from './sections.ts';

/** The steps of a JSON pointer (RFC 6901), or of names with points between them, of which `$` may be the first. */
export function stepsOf(path: string): string[] {
  if (path.startsWith('/'))
    return path
      .slice(1)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return path
    .replace(/^\$\.?/, '')
    .split('.')
    .filter((step) => step !== '');
}

type Phase = 'value' | 'first' | 'member' | 'inside' | 'next' | 'first element' | 'element' | 'next element' | 'end';

interface Progress {
  phase: Phase;
  /** Steps of the path that lead to where the cursor is. */
  depth: number;
  /** The containers that are open, the outermost first, with the members that were passed in each. */
  readonly open: { readonly close: ']' | '}'; members: number; found: boolean }[];
  start: number;
  objects: number;
  elements: number;
  section: Section | undefined;
}

interface Search {
  readonly steps: readonly string[];
  readonly path: string;
  readonly progress: Progress;
}

function goesOn(cursor: Cursor, close: ']' | '}'): boolean {
  const byte = peek(cursor);
  if (byte !== code(',') && byte !== code(close))
    throw new JsonProblem(cursor.at, `"," or "${close}" is missing here.`);
  cursor.at++;
  return byte === code(',');
}

/** At a value that the path leads through or to. */
function enter(cursor: Cursor, { steps, path, progress }: Search, offset: number): Phase {
  const byte = peek(cursor);
  const opens = byte === code('[') ? ']' : byte === code('{') ? '}' : undefined;
  if (progress.depth < steps.length) {
    if (opens === undefined)
      throw new JsonProblem(cursor.at, `the path ${JSON.stringify(path)} leads into a plain value.`);
    cursor.at++;
    progress.open.push({ close: opens, members: 0, found: false });
    return 'first';
  }
  if (opens !== ']') throw new JsonProblem(cursor.at, `at the path ${JSON.stringify(path)} stands no array.`);
  progress.start = offset + cursor.at;
  cursor.at++;
  return 'first element';
}

/** One member of the innermost container: the one that the path asks for is entered, any other passed over. */
function member(cursor: Cursor, search: Search, offset: number): Phase {
  const { steps, progress } = search;
  const inner = progress.open.at(-1);
  if (inner === undefined) return 'end';
  let step = String(inner.members++);
  if (inner.close === '}') {
    const start = cursor.at;
    const end = skipKey(cursor);
    step = textOf(cursor.bytes, start, end);
  }
  if (step !== steps[progress.depth] || progress.open.length - 1 !== progress.depth) {
    skipValue(cursor);
    return 'next';
  }
  if (inner.found) throw new JsonProblem(cursor.at, `the key ${JSON.stringify(step)} stands twice in the object.`);
  inner.found = true;
  progress.depth++;
  return enter(cursor, search, offset);
}

function element(cursor: Cursor, progress: Progress): Phase {
  if (peek(cursor) === code('{')) progress.objects++;
  skipValue(cursor);
  progress.elements++;
  return 'next element';
}

function endOfArray(cursor: Cursor, { progress, path }: Search, offset: number): Phase {
  const { start, objects, elements } = progress;
  if (objects !== elements)
    throw new JsonProblem(start - offset, `the array at ${JSON.stringify(path)} holds other things than objects.`);
  progress.section = { key: path, start, end: offset + cursor.at };
  return leave(progress);
}

/** Out of what was entered, back into what it is a member of. */
function leave(progress: Progress): Phase {
  progress.depth--;
  return progress.open.length === 0 ? 'end' : 'next';
}

function isEmpty(cursor: Cursor, close: ']' | '}'): boolean {
  if (peek(cursor) !== code(close)) return false;
  cursor.at++;
  return true;
}

function closed(progress: Progress): Phase {
  progress.open.pop();
  return leave(progress);
}

function step(cursor: Cursor, search: Search, offset: number): Phase {
  const { progress } = search;
  const close = progress.open.at(-1)?.close ?? ']';
  switch (progress.phase) {
    case 'value':
      return enter(cursor, search, offset);
    case 'first':
      return isEmpty(cursor, close) ? closed(progress) : 'member';
    case 'member':
      return member(cursor, search, offset);
    case 'next':
      return goesOn(cursor, close) ? 'member' : closed(progress);
    case 'first element':
      return isEmpty(cursor, ']') ? endOfArray(cursor, search, offset) : 'element';
    case 'element':
      return element(cursor, progress);
    case 'next element':
      return goesOn(cursor, ']') ? 'element' : endOfArray(cursor, search, offset);
    default:
      throw new JsonProblem(cursor.at, 'text follows the end of the value.');
  }
}

/** A step is taken whole or not at all: a member that ends in a later window is read again from its start. */
function stepOrBack(cursor: Cursor, search: Search, offset: number): void {
  const { progress } = search;
  const before = { ...progress, open: progress.open.map((one) => ({ ...one })) };
  try {
    progress.phase = step(cursor, search, offset);
  } catch (thrown) {
    if (thrown === incomplete) Object.assign(progress, before);
    throw thrown;
  }
}

/** Whether nothing but white space is left, and nothing is awaited that is not in a later window. */
function isUsedUp(cursor: Cursor, last: boolean, phase: Phase): boolean {
  skipSpace(cursor);
  return cursor.at >= cursor.end && (!last || phase === 'end');
}

function readWindow(window: Window, cursor: Cursor, search: Search): number {
  Object.assign(cursor, { bytes: window.bytes, at: 0, end: window.end, last: window.last });
  let whole = 0;
  try {
    while (!isUsedUp(cursor, window.last, search.progress.phase)) {
      whole = cursor.at;
      stepOrBack(cursor, search, window.offset);
    }
    return cursor.at;
  } catch (thrown) {
    if (thrown === incomplete) return whole;
    if (thrown instanceof JsonProblem) throw new JsonProblem(window.offset + thrown.at, thrown.message);
    throw thrown;
  }
}

/** The array at the path. Faults: OPTION_MISFIT where nothing is there, PARSE_ERROR with the place, LINE_TOO_LONG, ENCODING_INVALID. */
export async function findAtPath(source: WindowSource, path: string): Promise<Section> {
  const progress: Progress = {
    ...{ phase: 'value', depth: 0, open: [], start: 0, objects: 0, elements: 0, section: undefined },
  };
  const search: Search = { steps: stepsOf(path), path, progress };
  const cursor: Cursor = { bytes: Buffer.alloc(0), at: 0, end: 0, last: false, lines: 'space' };
  try {
    await eachWindow(source, (window) => readWindow(window, cursor, search));
  } catch (thrown) {
    if (thrown instanceof JsonProblem) throw await parseError(source, thrown.at, thrown.message);
    throw thrown;
  }
  if (progress.section !== undefined) return progress.section;
  throw new Fault('OPTION_MISFIT', `Nothing stands at the path ${JSON.stringify(path)}.`, {
    extra: { option: 'jsonPath' },
  });
}
