// Cursors of lists: opaque to callers here, signed where they leave the service (lib/http).
import type * as z from 'zod';
import { Fault } from '../core/fault.ts';

export const writeCursor = (position: unknown): string => Buffer.from(JSON.stringify(position)).toString('base64url');

/** The position in a cursor; throws the Fault VALIDATION_FAILED for one that was not written here. */
export function readCursor<T>(schema: z.ZodType<T>, cursor: string): T {
  const text = Buffer.from(cursor, 'base64url').toString();
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Fault('VALIDATION_FAILED', 'The cursor is not one of this list.', { cause });
  }
}
