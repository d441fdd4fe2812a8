import { describe, expect, it } from 'vitest';
import { keptSecret, lazySecret } from '../../../functions/support/cursor-secret.ts';

function bucket() {
  const bodies = new Map<string, string>();
  return {
    get: async (key: string) => {
      const body = bodies.get(key);
      return body === undefined ? undefined : Buffer.from(body);
    },
    putOnce: async (key: string, body: string | Uint8Array): Promise<'written' | 'exists'> => {
      if (bodies.has(key)) return 'exists';
      bodies.set(key, String(body));
      return 'written';
    },
  };
}

describe('the secret that signs cursors', () => {
  it('is 32 random bytes, drawn once and the same for all', async () => {
    const objects = bucket();
    const secrets = await Promise.all([keptSecret(objects), keptSecret(objects), keptSecret(objects)]);
    expect(new Set([...secrets, await keptSecret(objects)]).size).toBe(1);
    expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is another one in another bucket', async () => {
    expect(await keptSecret(bucket())).not.toBe(await keptSecret(bucket()));
  });

  it('is read when it is first asked for, once, and again only after it could not be read', async () => {
    const objects = bucket();
    let reads = 0;
    const failing = {
      ...objects,
      get: (key: string) => {
        reads += 1;
        return reads === 1 ? Promise.reject(new Error('not now')) : objects.get(key);
      },
    };
    const secret = lazySecret(failing);
    expect(reads).toBe(0);
    await expect(secret()).rejects.toThrow('not now');
    const read = await secret();
    expect(read).toHaveLength(64);
    const before = reads;
    expect(await secret()).toBe(read);
    expect(reads).toBe(before);
  });
});
