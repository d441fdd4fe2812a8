// Inputs and results: small JSON in the row, larger JSON in an item of its own, the rest in the object store. Names hold the content's
// hash, so that a second save of the same is the same, and a different one never takes its place. What only one row can refer to goes
// when that row does.
import { createHash } from 'node:crypto';
import type { Chance } from '../core/chance.ts';
import { Fault } from '../core/fault.ts';
import { type JobRef, newId } from '../core/ids.ts';
import { objectKey, type Objects } from '../core/objects.ts';
import type { Clock, EpochSeconds } from '../core/time.ts';
import type { JobStore } from './ports.ts';
import type { PayloadRef } from './row.ts';

/** Bytes. */
const MAX_INLINE = 400;
export const MAX_ITEM = 64 * 1024;
const MAX_PAYLOAD = 16 * 1024 * 1024;

interface Stores {
  readonly store: Pick<JobStore, 'putPayload' | 'getPayload'>;
  readonly objects: Objects;
}

/** The key below which a run of a job writes its objects. */
export const objectPrefixOf = (ref: JobRef, epoch: number): string =>
  objectKey(ref.tenant, ref.workspace, 'jobs', ref.id, epoch);

/**
 * A name for the input of one submit, or of one redrive. Another life under the same id saves the same input under another name, so that
 * what goes with the life before takes nothing from it, however late.
 */
export const inputName = ({ clock, chance }: { readonly clock: Clock; readonly chance: Chance }): string =>
  `input-${String(newId('w', clock.now(), chance))}`;

/** Whether this JSON stands in the row itself. */
export const isInline = (json: string): boolean => Buffer.byteLength(json) <= MAX_INLINE;

/**
 * Saves JSON under a name such as `input` or `result`, before the row that refers to it is written. Throws Fault LIMIT_EXCEEDED above
 * 16 MiB, StoreUnavailable when the store does not answer.
 */
export async function savePayload(
  { store, objects }: Stores,
  ref: JobRef,
  name: string,
  json: string,
  expiresAt?: EpochSeconds,
): Promise<PayloadRef> {
  if (isInline(json)) return { inline: json };
  const size = Buffer.byteLength(json);
  if (size > MAX_PAYLOAD) throw new Fault('LIMIT_EXCEEDED', `The ${name} is ${size} bytes; at most ${MAX_PAYLOAD}.`);
  const sha256 = hashOf(json);
  const named = `${name}-${sha256.slice(0, 32)}`;
  if (size <= MAX_ITEM) {
    await store.putPayload(ref, named, json, expiresAt);
    return { item: named, sha256 };
  }
  const key = objectKey(ref.tenant, ref.workspace, 'jobs', ref.id, `${named}.json`);
  await objects.putOnce(key, json);
  return { object: key, sha256 };
}

/** The saved value. Throws Fault INPUT_UNREADABLE when it is missing, is not what was saved, or is not JSON. */
export async function loadPayload(stores: Stores, ref: JobRef, payload: PayloadRef): Promise<unknown> {
  const json = 'inline' in payload ? payload.inline : await readStored(stores, ref, payload);
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Fault('INPUT_UNREADABLE', 'What was saved is not JSON.', { cause });
  }
}

/** Removes what was saved; nothing where it is gone, or stands in the row. Throws StoreUnavailable. */
export async function dropPayload(
  { store, objects }: { readonly store: Pick<JobStore, 'dropPayload'>; readonly objects: Pick<Objects, 'delete'> },
  ref: JobRef,
  payload: PayloadRef,
): Promise<void> {
  if ('item' in payload) await store.dropPayload(ref, payload.item);
  else if ('object' in payload) await objects.delete(payload.object);
}

async function readStored(
  { store, objects }: Stores,
  ref: JobRef,
  payload: Exclude<PayloadRef, { inline: string }>,
): Promise<string> {
  const stored = 'item' in payload ? await store.getPayload(ref, payload.item) : await objects.get(payload.object);
  if (stored === undefined) throw new Fault('INPUT_UNREADABLE', 'What was saved is gone.');
  const json = typeof stored === 'string' ? stored : Buffer.from(stored).toString('utf8');
  if (hashOf(json) !== payload.sha256) throw new Fault('INPUT_UNREADABLE', 'What was saved has changed.');
  return json;
}

const hashOf = (json: string): string => createHash('sha256').update(json).digest('hex');

/** JSON text of a value, undefined for undefined. Throws a TypeError for what JSON would change: dates, maps, NaN, BigInt, cycles. */
export function toJson(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const json = JSON.stringify(value);
  if (!isJson(value)) throw new TypeError('not a JSON value');
  return json;
}

/** Bytes: a cursor stands in the row itself. */
const MAX_CURSOR = 16 * 1024;

/** A cursor as a row keeps it; undefined for undefined. Throws Fault RESULT_INVALID for what JSON cannot hold, LIMIT_EXCEEDED above 16 KiB. */
export function cursorJson(cursor: unknown): string | undefined {
  const json = jsonOrFault(cursor, 'The cursor is what JSON cannot hold.');
  const size = Buffer.byteLength(json ?? '');
  if (size > MAX_CURSOR) throw new Fault('LIMIT_EXCEEDED', `The cursor is ${size} bytes; at most ${MAX_CURSOR}.`);
  return json;
}

/** Throws Fault RESULT_INVALID, with this detail, for what JSON cannot hold. */
export function jsonOrFault(value: unknown, detail: string): string | undefined {
  try {
    return toJson(value);
  } catch (cause) {
    throw new Fault('RESULT_INVALID', detail, { cause });
  }
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((each) => each === undefined || isJson(each));
}
