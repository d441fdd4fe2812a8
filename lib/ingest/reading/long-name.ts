// A name of a column goes into every answer about its table, several times, and Lambda answers at most 6 MB.
import { Fault } from '../../core/fault.ts';
import type { Column } from './types.ts';

/** Of a name as JSON. */
export const MOST_NAME_BYTES = 128 * 1024;
const SHOWN = 50;

/** Throws the Fault CELL_TOO_LARGE. */
export function requireShortNames(columns: readonly Column[]): void {
  for (const [place, { name }] of columns.entries()) {
    const bytes = Buffer.byteLength(JSON.stringify(name));
    if (bytes <= MOST_NAME_BYTES) continue;
    const begins = JSON.stringify(name.slice(0, SHOWN).toWellFormed());
    throw new Fault(
      'CELL_TOO_LARGE',
      `The name of column ${place + 1} has ${bytes} bytes as JSON; the limit is ${MOST_NAME_BYTES}. It begins with ${begins}.`,
      { extra: { limit: MOST_NAME_BYTES } },
    );
  }
}
