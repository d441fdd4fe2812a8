// Who is calling: an API key names one tenant and workspace. The row is found by the key's id and proved by the secret's hash.
import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault } from '../core/fault.ts';
import { isId, type KeyId, type Scope } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import { seconds } from '../core/time.ts';
import type { ApiKeyRecord, ApiKeys, ApiScope } from './keys.ts';

export interface Caller extends Scope {
  readonly key: KeyId;
  readonly scopes: readonly ApiScope[];
}

export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** The two halves of `mr_<key id>_<secret>`, or undefined when it has not that form. */
export function parseKey(text: string): { id: KeyId; secret: string } | undefined {
  const match = /^mr_(key_[0-9A-Z]{26})_([0-9A-Za-z]{32,128})$/.exec(text);
  const [, id = '', secret = ''] = match ?? [];
  return match && isId('key', id) ? { id, secret } : undefined;
}

const sameHash = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** A revoked key works on for at most this long on an instance that has just seen it. */
const REMEMBER = seconds(30);
const REMEMBERED_KEYS = 1000;

/** Answers whose key an Authorization header carries; throws UNAUTHORIZED. */
export function createAuthenticator({ keys, clock }: { keys: ApiKeys; clock: Clock }) {
  const seen = new Map<KeyId, { record: ApiKeyRecord; until: number }>();

  const recordOf = async (id: KeyId): Promise<ApiKeyRecord | undefined> => {
    const known = seen.get(id);
    if (known && known.until > clock.monotonic()) return known.record;
    seen.delete(id);
    const record = await keys.getKey(id);
    if (!record) return undefined;
    if (seen.size >= REMEMBERED_KEYS) seen.clear();
    seen.set(id, { record, until: clock.monotonic() + REMEMBER });
    return record;
  };

  return async (authorization: string | null): Promise<Caller> => {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    const parsed = parseKey(token);
    if (!parsed) throw new Fault('UNAUTHORIZED', 'The Authorization header carries no API key.');
    const record = await recordOf(parsed.id);
    const proved = record !== undefined && sameHash(record.secretHash, hashSecret(parsed.secret));
    if (!proved || record.revokedAt !== undefined) throw new Fault('UNAUTHORIZED', 'The API key is not known.');
    return { tenant: record.tenant, workspace: record.workspace, key: record.id, scopes: record.scopes };
  };
}

/** Throws FORBIDDEN, naming the scope, where the caller's key lacks it. */
export function requireScope(caller: Caller, scope: ApiScope): void {
  if (!caller.scopes.includes(scope)) throw new Fault('FORBIDDEN', `This needs the scope ${scope}.`);
}
