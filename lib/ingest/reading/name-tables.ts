// What the tables of a file that holds several are called, and how many there may be.
import { Fault } from '../../core/fault.ts';
import { MAX_PUBLICATIONS } from '../../job/ports.ts';
import { tableNameOf } from '../formats/extensions.ts';
import { parseErrorAt } from '../formats/place.ts';
import { NAMED_KEYS, type Sections } from '../json/sections.ts';
import { warn } from '../warnings.ts';
import type { ListedFile, ListedTable, Within } from './types.ts';

const NAME_CHARACTERS = 128;

/** Throws the Fault TOO_MANY_TABLES. */
export function requireFew(tables: number): void {
  if (tables <= MAX_PUBLICATIONS) return;
  throw new Fault('TOO_MANY_TABLES', `The file holds ${tables} tables; the limit is ${MAX_PUBLICATIONS}.`, {
    extra: { tables, limit: MAX_PUBLICATIONS },
  });
}

/** One table has the name of the file, several have it and their own. Throws the Fault TOO_MANY_TABLES. */
export function named(
  base: string,
  found: readonly { readonly own: string; readonly within: Within }[],
): ListedTable[] {
  requireFew(found.length);
  const own = found.map((each) => each.own);
  const names = found.length === 1 ? [base] : namesBelow(base, own);
  return found.map(({ within }, index) => ({ name: names[index] ?? base, within }));
}

/** `base__name` each, as identifiers; those that only differ in what an identifier loses are numbered. */
export function namesBelow(base: string, own: readonly string[]): string[] {
  const taken = new Set<string>();
  return own.map((name) => {
    const stem = `${base}__${tableNameOf(name)}`;
    let given = stem.slice(0, NAME_CHARACTERS);
    for (let number = 2; taken.has(given.toLowerCase()); number++) {
      const suffix = `_${number}`;
      given = `${stem.slice(0, NAME_CHARACTERS - suffix.length)}${suffix}`;
    }
    taken.add(given.toLowerCase());
    return given;
  });
}

/** The tables of a JSON object whose text begins at `start`. Throws the Faults TOO_MANY_TABLES, and PARSE_ERROR where there is none. */
export function tablesOfSections(
  { tables: found, count, others, named: keys }: Sections,
  base: string,
  start: number,
): Pick<ListedFile, 'tables' | 'warnings'> {
  if (count === 0) {
    const what = 'the file is one object without an array of objects in it; a table is an array of objects';
    const next = 'The option jsonPath says where a table stands that is deeper in it.';
    throw parseErrorAt({ line: 1, byteOffset: start }, `${what}, or NDJSON (.ndjson) with one on each line. ${next}`);
  }
  requireFew(count);
  const tables = named(
    base,
    found.map((within) => ({ own: within.key, within })),
  );
  return { tables, warnings: others === 0 ? [] : [leftOut(others, keys)] };
}

function leftOut(count: number, keys: readonly string[]) {
  const first = keys.map((key) => JSON.stringify(key.slice(0, NAME_CHARACTERS)));
  return warn('KEYS_LEFT_OUT', {
    count,
    detail: `They are ${first.join(', ')}${count > NAMED_KEYS ? ' and more' : ''}.`,
  });
}
