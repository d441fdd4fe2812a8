// Finds the array that is the table at a path through a JSON file. What stands beside it is passed over, and proven to be JSON.
import { Fault } from '../../core/fault.ts';
import type { WindowSource } from '../formats/windows.ts';
import { type Cursor, code, JsonProblem, peek } from './grammar.ts';
import type { Section } from './sections.ts';
import { atStart, type At, type Walker, type Way } from './walk.ts';
import { walkThrough } from './walk-through.ts';

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

/** How far the path was followed; JSON. */
export interface Followed {
  /** Steps that were met. */
  met: number;
  section?: Section;
}

const isContainer = (byte: number): boolean => byte === code('[') || byte === code('{');

const misled = (at: number, what: string): JsonProblem => new JsonProblem(at, what, 'jsonPath');

/** Whether the path leads to a value, or through it. Throws where it cannot. */
function wayOf({ cursor, name, depth }: At, path: string, steps: readonly string[], found: Followed): Way {
  if (depth > 0 && name !== steps[depth - 1]) return 'pass';
  if (depth > 0 && found.met >= depth)
    throw new JsonProblem(cursor.at, `the key ${JSON.stringify(name)} stands twice in the object.`);
  const byte = peek(cursor);
  if (depth < steps.length && !isContainer(byte))
    throw misled(cursor.at, `the path ${JSON.stringify(path)} leads into a plain value.`);
  if (depth === steps.length && byte !== code('['))
    throw misled(cursor.at, `at the path ${JSON.stringify(path)} stands no array.`);
  found.met = depth;
  return depth < steps.length ? 'enter' : 'list';
}

export function pathWalker(path: string, found: Followed): Walker {
  const steps = stepsOf(path);
  return {
    what: 'value',
    value: (at) => wayOf(at, path, steps, found),
    element: (cursor: Cursor, place: number) => {
      if (peek(cursor) === code('{')) return;
      const what = `the array at ${JSON.stringify(path)} holds other things than objects.`;
      // An array that begins otherwise is another one than was meant; behind objects, a record is wrong.
      throw place === 0 ? misled(cursor.at, what) : new JsonProblem(cursor.at, what);
    },
    behind: ({ way, start, end }) => {
      if (way === 'list') found.section = { key: path, start, end };
    },
  };
}

/** Throws the Fault OPTION_MISFIT where the path leads to nothing. */
export function sectionAt(path: string, { section }: Followed): Section {
  if (section !== undefined) return section;
  throw new Fault('OPTION_MISFIT', `Nothing stands at the path ${JSON.stringify(path)}.`, {
    extra: { option: 'jsonPath' },
  });
}

/** The array at the path. Faults: OPTION_MISFIT where no array of objects is there, PARSE_ERROR with the place, LINE_TOO_LONG, ENCODING_INVALID. */
export async function findAtPath(source: WindowSource, path: string): Promise<Section> {
  const found: Followed = { met: 0 };
  await walkThrough(source, pathWalker(path, found), atStart());
  return sectionAt(path, found);
}
