// Column names as words, so that `client_ip`, `clientIP` and `Client IP` say `ip` and `description` does not.
import type { Detector } from './detector.ts';

/** Words in lower case, without accents, cut at capitals, digits and everything that is no letter. */
export function wordsOf(name: string): string[] {
  return name
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

const says = (words: readonly string[], hint: string): boolean => ` ${words.join(' ')} `.includes(` ${hint} `);

/** Whether the name of a column says what the detector finds. The names of a nested value's fields count as the column's. */
export function hintsAt(detector: Pick<Detector, 'tag' | 'hints'>, column: string, table: string): boolean {
  const words = wordsOf(column);
  if (detector.hints.some((hint) => says(words, hint))) return true;
  const alone = words.length === 1 && plainNames.has(words[0] ?? '');
  return detector.tag === 'NAME' && alone && wordsOf(table).some((word) => people.has(word));
}
