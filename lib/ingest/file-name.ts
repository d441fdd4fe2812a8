// What a file may be called, whichever way it comes in.
import { Fault } from '../core/fault.ts';

/** Characters. */
export const NAME_LENGTH = 255;

const refused = (why: string): Fault => new Fault('NAME_NOT_ALLOWED', why);

/** The file name, trimmed; throws NAME_NOT_ALLOWED. It is shown and says the format, but is never part of a path. */
export function checkedFileName(given: string): string {
  const name = given.trim();
  if (name === '') throw refused('The name is empty.');
  if (Array.from(name).length > NAME_LENGTH) throw refused(`The name is longer than ${NAME_LENGTH} characters.`);
  if (!name.isWellFormed()) throw refused('The name is not well-formed text.');
  if (/[/\\]/.test(name) || name === '.' || name === '..') throw refused('The name has a path in it.');
  if (/\p{Cc}/u.test(name)) throw refused('The name has a control character in it.');
  return name;
}
