// What a decompressor says of damage, as the one fault that callers see.
import { asError } from '../../../core/check.ts';
import { Fault } from '../../../core/fault.ts';

/** COMPRESSION_CORRUPT with a sentence of its own. */
export const corrupt = (what: string, cause?: unknown): Fault => new Fault('COMPRESSION_CORRUPT', what, { cause });

/** zlib's own errors as COMPRESSION_CORRUPT; anything else unchanged. */
export function asCorrupt(kind: string, thrown: unknown): unknown {
  const code = (thrown as NodeJS.ErrnoException).code ?? '';
  const ofZlib = code.startsWith('Z_') || code.startsWith('ZSTD_');
  return ofZlib ? corrupt(`${kind}: ${asError(thrown).message}.`, thrown) : thrown;
}
