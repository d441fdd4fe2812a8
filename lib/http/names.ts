// Names that people give: what a file and a dataset may be called.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import { NAME_LENGTH } from './limits.ts';

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

const plainText = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

export const datasetNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(NAME_LENGTH)
  .refine(plainText, 'It has characters that a name may not have.')
  .meta({ description: 'Unique in its workspace; no control characters.', examples: ['sales'] });
