// What cursors are signed with, the same on every instance: drawn by the first one that needs it, and kept in the bucket, where only the
// service reads. It costs nothing idle, and no template or environment shows it.
import { randomBytes } from 'node:crypto';
import { must } from '../../lib/core/check.ts';
import { objectKey, type Objects } from '../../lib/core/objects.ts';

/** 32 random bytes in hex. */
export async function keptSecret(objects: Pick<Objects, 'get' | 'putOnce'>): Promise<string> {
  // Under the reserved tenant, so that no caller's key leads there.
  const key = objectKey('system', 'system', 'cursor-secret');
  const kept = await objects.get(key);
  if (kept !== undefined) return textOf(kept);
  await objects.putOnce(key, randomBytes(32).toString('hex'));
  return textOf(must(await objects.get(key), 'the secret that was just put'));
}

/** The same, read when it is first asked for: a start of the function waits for nothing. */
export function lazySecret(objects: Pick<Objects, 'get' | 'putOnce'>): () => Promise<string> {
  let asked: Promise<string> | undefined;
  return () => {
    asked ??= keptSecret(objects).catch((thrown: unknown) => {
      asked = undefined;
      throw thrown;
    });
    return asked;
  };
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
