// What a reader of binary formats holds in memory at once: a compressed buffer of Arrow, a dictionary, a block of Avro.
import { Fault } from '../../core/fault.ts';

export const MAX_HELD_BYTES = 128 * 2 ** 20;

export function tooLarge(what: string, bytes: number): Fault {
  return new Fault('BLOCK_TOO_LARGE', `${what} takes ${bytes} bytes; the limit is ${MAX_HELD_BYTES}.`, {
    extra: { bytes, limit: MAX_HELD_BYTES },
  });
}
