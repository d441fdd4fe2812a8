// Reads the immutable manifest of a snapshot. Stored data is parsed: it outlives the code that wrote it.
import { Fault } from '../core/fault.ts';
import type { Objects } from '../core/objects.ts';
import { type Manifest, manifestSchema } from './manifest-schema.ts';

/** Throws the Fault INTERNAL when a published manifest is missing or unreadable, since a row points at it. */
export async function readManifest(objects: Objects, key: string): Promise<Manifest> {
  const bytes = await objects.get(key);
  if (bytes === undefined) throw new Fault('INTERNAL', `The manifest of a snapshot is missing: ${key}.`);
  return manifestSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}

/** Remembers the `size` manifests that were read last; they never change. */
export function cachedManifests(objects: Objects, size = 256): (key: string) => Promise<Manifest> {
  const known = new Map<string, Manifest>();
  return async (key) => {
    const manifest = known.get(key) ?? (await readManifest(objects, key));
    known.delete(key);
    known.set(key, manifest);
    const oldest = known.keys().next().value;
    if (known.size > size && oldest !== undefined) known.delete(oldest);
    return manifest;
  };
}
