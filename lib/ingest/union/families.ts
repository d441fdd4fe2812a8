// What a column may hold whose files say different things of it.
import type { Family } from '../typing/relation.ts';

export interface FamilyIn {
  readonly file: string;
  readonly family: Family;
}

export interface Agreed {
  readonly family: Family;
  /** Of which kinds the files say that it is, where they do not go together. */
  readonly mixed?: string;
}

/**
 * As in one file of JSON: values of several kinds are text, each as it was written. CSV says of no value what it is, so that what another
 * file says holds; a number or a boolean of JSON is then weighed as if it stood in CSV.
 */
export function agree(columns: readonly FamilyIn[]): Agreed {
  const families = [...new Set(columns.map(({ family }) => family))];
  const [only, ...others] = families;
  if (only === undefined) return { family: 'text' };
  if (others.length === 0) return { family: only };
  if (families.includes('json')) return { family: 'verbatim', mixed: namesOf(columns) };
  const said = families.filter((family) => family !== 'any');
  if (said.length > 1) return { family: 'text', mixed: namesOf(columns) };
  return { family: said[0] === 'text' ? 'text' : 'any' };
}

const words: Readonly<Record<Family, string>> = {
  any: 'of no kind that is said',
  number: 'numbers',
  text: 'texts',
  boolean: 'booleans',
  json: 'nested values',
  verbatim: 'texts',
};

/** The first file of each kind. */
function namesOf(columns: readonly FamilyIn[]): string {
  const first = new Map<Family, string>();
  for (const { file, family } of columns) if (!first.has(family)) first.set(family, file);
  return `${[...first].map(([family, file]) => `${words[family]} in ${JSON.stringify(file)}`).join(', ')}.`;
}
