// The name and the type of a column go into every answer about its table, several times, and Lambda answers at most 6 MB.
import { Fault } from '../../core/fault.ts';
import type { Column } from './types.ts';

/** Of a name, and of a type as SQL writes it, each as JSON. */
export const MOST_NAME_BYTES = 128 * 1024;
export const MOST_TYPE_BYTES = 512 * 1024;
const SHOWN = 50;

const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text));
const beginningOf = (text: string): string => JSON.stringify(text.slice(0, SHOWN).toWellFormed());

/** Throws the Faults CELL_TOO_LARGE for a name, and UNSUPPORTED_SCHEMA for a type. */
export function requireShort(columns: readonly Column[]): void {
  for (const [place, { name, type }] of columns.entries()) {
    const [ofName, ofType] = [bytesOf(name), bytesOf(type)];
    if (ofName > MOST_NAME_BYTES)
      throw new Fault(
        'CELL_TOO_LARGE',
        `The name of column ${place + 1} has ${ofName} bytes as JSON; the limit is ${MOST_NAME_BYTES}. It begins with ${beginningOf(name)}.`,
        { extra: { limit: MOST_NAME_BYTES } },
      );
    if (ofType > MOST_TYPE_BYTES)
      throw new Fault(
        'UNSUPPORTED_SCHEMA',
        `The type of the column ${beginningOf(name)} has ${ofType} bytes as SQL writes it; the limit is ${MOST_TYPE_BYTES}. It begins with ${beginningOf(type)}.`,
        { extra: { limit: MOST_TYPE_BYTES } },
      );
  }
}
