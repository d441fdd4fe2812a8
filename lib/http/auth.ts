// Who is calling: an API key names one tenant and workspace. The row is found by the key's id and proved by the secret's hash.
import { createHash, timingSafeEqual } from 'node:crypto';
import { Fault } from '../core/fault.ts';
import { isId, type KeyId, type Scope } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import { seconds } from '../core/time.ts';
import type { WorkspaceEnd } from '../job/dead/workspaces.ts';
import type { ApiKeyRecord, ApiKeys, ApiScope } from './keys.ts';

export interface Caller extends Scope {
  readonly key: KeyId;
  readonly scopes: readonly ApiScope[];
  /** How its workspace ends, where that is deleted. */
  readonly end?: WorkspaceEnd | undefined;
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

/** A key that is revoked, or whose workspace is deleted, works on for at most this long on an instance that has just seen it. */
const REMEMBER = seconds(30);
const REMEMBERED_KEYS = 1000;

interface Known {
  readonly record: ApiKeyRecord;
  readonly end: WorkspaceEnd | undefined;
}

export interface Authenticator {
  /** Whose key an Authorization header carries; throws UNAUTHORIZED. */
  callerOf(authorization: string | null): Promise<Caller>;
  /** What was seen is read anew. */
  forget(): void;
}

export function createAuthenticator({ keys, clock }: { keys: ApiKeys; clock: Clock }): Authenticator {
  const seen = new Map<KeyId, Known & { until: number }>();

  const knownOf = async (id: KeyId): Promise<Known | undefined> => {
    const known = seen.get(id);
    if (known && known.until > clock.monotonic()) return known;
    seen.delete(id);
    const record = await keys.getKey(id);
    if (!record) return undefined;
    const end = await keys.workspaceEnd({ tenant: record.tenant, workspace: record.workspace });
    if (seen.size >= REMEMBERED_KEYS) seen.clear();
    seen.set(id, { record, end, until: clock.monotonic() + REMEMBER });
    return { record, end };
  };

  const callerOf = async (authorization: string | null): Promise<Caller> => {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    const parsed = parseKey(token);
    if (!parsed) throw new Fault('UNAUTHORIZED', 'The Authorization header carries no API key.');
    const { record, end } = (await knownOf(parsed.id)) ?? {};
    const proved = record !== undefined && sameHash(record.secretHash, hashSecret(parsed.secret));
    if (!proved || record.revokedAt !== undefined) throw new Fault('UNAUTHORIZED', 'The API key is not known.');
    return { tenant: record.tenant, workspace: record.workspace, key: record.id, scopes: record.scopes, end };
  };
  return { callerOf, forget: () => seen.clear() };
}

/** Throws FORBIDDEN, naming the scope, where the caller's key lacks it. */
export function requireScope(caller: Caller, scope: ApiScope): void {
  if (!caller.scopes.includes(scope)) throw new Fault('FORBIDDEN', `This needs the scope ${scope}.`);
}
