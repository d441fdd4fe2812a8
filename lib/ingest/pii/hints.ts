// Column names as words, so that `client_ip`, `clientIP` and `Client IP` say `ip` and `description` does not.
import { readName } from '../long-names.ts';
import type { Detector } from './detector.ts';

/** Words in lower case, without accents, cut at capitals, digits and everything that is no letter. */
export function wordsOf(name: string): string[] {
  return readName(name)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll(/[øØ]/g, 'o')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => [word, ...(/\d/.test(word) ? [word.replaceAll(/\d+$/g, '')] : [])])
    .filter((word) => word !== '');
}

/** Tables of these hold people, so that a plain `name` in them is one of a person. */
const people: ReadonlySet<string> = new Set(
  [
    'person',
    'people',
    'customer',
    'client',
    'employee',
    'patient',
    'user',
    'member',
    'student',
    'contact',
    'passenger',
    'staff',
    'teacher',
    'applicant',
    'candidate',
    'subscriber',
    'lead',
    'personen',
    'kunden',
    'mitarbeiter',
    'clientes',
    'personas',
    'empleados',
    'kunder',
  ].flatMap((word) => [word, `${word}s`]),
);
const plainNames: ReadonlySet<string> = new Set(['name', 'names', 'nombre', 'nome', 'nom', 'naam', 'navn', 'namn']);

/** What the name of a column says, read once for all detectors. */
export interface Named {
  /** Its words, with one space between and around them. */
  readonly said: string;
  /** Whether it is a plain `name` in a table of people. */
  readonly ofPeople: boolean;
}

export function namedBy(column: string, table: string): Named {
  const words = wordsOf(column);
  const alone = words.length === 1 && plainNames.has(words[0] ?? '');
  return { said: ` ${words.join(' ')} `, ofPeople: alone && wordsOf(table).some((word) => people.has(word)) };
}

/** Whether the name of a column says what the detector finds. The names of a nested value's fields count as the column's. */
export const hintsAt = ({ tag, hints }: Pick<Detector, 'tag' | 'hints'>, { said, ofPeople }: Named): boolean =>
  (tag === 'NAME' && ofPeople) || hints.some((hint) => said.includes(` ${hint} `));
