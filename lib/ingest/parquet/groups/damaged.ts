// What is wrong with a footer, in the words that the file is refused with.
import { asError } from '../../../core/check.ts';
import { Fault } from '../../../core/fault.ts';

export const damaged = (what: string): Fault => new Fault('PARSE_ERROR', `Parquet: ${what}.`);

/** Has what reading a footer throws be the Fault PARSE_ERROR. */
export function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    // A footer that nests without end is more than the stack holds.
    const what = thrown instanceof RangeError ? 'the footer nests too deeply' : asError(thrown).message;
    throw new Fault('PARSE_ERROR', `Parquet: ${what}.`, { cause: thrown });
  }
}
