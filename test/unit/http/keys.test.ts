import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { systemChance } from '../../../lib/core/chance.ts';
import type { TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import { systemClock } from '../../../lib/core/time.ts';
import { parseKey } from '../../../lib/http/auth.ts';
import { type ApiKeyRecord, defaultScopes } from '../../../lib/http/keys.ts';
import { makeKey } from '../../../lib/http/make-key.ts';

async function made(chosen?: ApiKeyRecord['scopes']) {
  const kept: ApiKeyRecord[] = [];
  const keys = {
    putKey: async (key: ApiKeyRecord) => (kept.push(key), 'created' as const),
    getKey: async () => kept[0],
    workspaceEnd: async () => undefined,
  };
  const owner = { tenant: 't' as TenantId, workspace: 'w' as WorkspaceId, name: 'laptop' };
  const key = await makeKey(
    { keys, clock: systemClock, chance: systemChance },
    { ...owner, ...(chosen && { scopes: chosen }) },
  );
  return { key, record: kept[0]! };
}

describe('a key', () => {
  it('is stored without its secret, by a hash that proves it', async () => {
    const { key, record } = await made();
    const { id, secret } = parseKey(key)!;
    expect(record).toMatchObject({ id, tenant: 't', workspace: 'w', name: 'laptop', scopes: defaultScopes });
    expect(JSON.stringify(record)).not.toContain(secret);
    expect(record.secretHash).toBe(createHash('sha256').update(secret).digest('hex'));
    expect(secret).toMatch(/^[0-9A-Za-z]{43}$/);
  });

  it('is another one each time, and carries the scopes asked for', async () => {
    const [one, two] = [await made(['query']), await made()];
    expect(one.key).not.toBe(two.key);
    expect(one.record.scopes).toEqual(['query']);
  });

  it('is made for no tenant whose name is the service’s own', async () => {
    const keys = {
      putKey: async () => 'created' as const,
      getKey: async () => undefined,
      workspaceEnd: async () => undefined,
    };
    const parts = { keys, clock: systemClock, chance: systemChance };
    for (const tenant of ['system', 'inbox', 'batch'] as unknown as TenantId[])
      await expect(makeKey(parts, { tenant, workspace: 'w' as WorkspaceId, name: 'n' })).rejects.toThrow(TypeError);
  });

  it('of another form is none', () => {
    for (const text of [
      '',
      'mr_',
      'mr_key_1_x',
      `mr_key_${'0'.repeat(26)}_short`,
      `xx_key_${'0'.repeat(26)}_${'a'.repeat(43)}`,
    ])
      expect(parseKey(text)).toBeUndefined();
    expect(parseKey(`mr_key_${'0'.repeat(26)}_${'a'.repeat(43)}`)).toBeDefined();
  });
});
