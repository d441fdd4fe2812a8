// Cursors: the store's own place in a list, signed together with whose list it is, so that no cursor works anywhere else.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Fault } from '../core/fault.ts';
import type { Scope } from '../core/ids.ts';

export interface CursorOwner {
  readonly scope: Scope;
  /** The list it belongs to, filters and path parameters with it. */
  readonly list: string;
}

const tagOf = (secret: string, owner: CursorOwner, place: string): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify([owner.scope.tenant, owner.scope.workspace, owner.list, place]))
    .digest()
    .subarray(0, 16);

export function sealCursor(secret: string, owner: CursorOwner, place: string): string {
  return Buffer.concat([tagOf(secret, owner, place), Buffer.from(place)]).toString('base64url');
}

/** The store's place; throws VALIDATION_FAILED for a cursor that this list of this workspace did not give. */
export function openCursor(secret: string, owner: CursorOwner, cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const place = bytes.subarray(16).toString();
  if (bytes.length > 16 && timingSafeEqual(bytes.subarray(0, 16), tagOf(secret, owner, place))) return place;
  const error = { pointer: '#/query/cursor', detail: 'It is not a cursor of this list.' };
  throw new Fault('VALIDATION_FAILED', 'The cursor is not one that this list gave.', { errors: [error] });
}
