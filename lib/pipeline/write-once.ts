import { Fault } from '../core/fault.ts';
import type { Objects } from '../core/objects.ts';

/**
 * Writes an object at a key that belongs to one attempt. A key that is taken can only be this very write, sent twice by the SDK: the
 * bytes tell. Throws the Fault INTERNAL when they differ.
 */
export async function writeOnce(objects: Objects, key: string, body: Uint8Array | string): Promise<void> {
  if ((await objects.putOnce(key, body)) === 'written') return;
  const found = await objects.get(key);
  if (found === undefined || !Buffer.from(body).equals(found))
    throw new Fault('INTERNAL', `Another object stands at ${key}, which belongs to this attempt alone.`);
}
