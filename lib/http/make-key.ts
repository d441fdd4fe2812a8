import type { Chance } from '../core/chance.ts';
import { newId, type TenantId, type WorkspaceId } from '../core/ids.ts';
import { areas } from '../core/objects.ts';
import type { Clock } from '../core/time.ts';
import { hashSecret } from './auth.ts';
import { workspaceDeleted } from '../job/dead/workspaces.ts';
import { systemScope } from '../job/system-scope.ts';
import { type ApiKeys, type ApiScope, defaultScopes } from './keys.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 43 characters of 62 are 256 bits. */
const SECRET_LENGTH = 43;

const secretOf = (chance: Chance): string =>
  Array.from({ length: SECRET_LENGTH }, () => ALPHABET[Math.floor(chance.next() * ALPHABET.length)]).join('');

export interface NewKey {
  readonly tenant: TenantId;
  readonly workspace: WorkspaceId;
  /** For people: what the key is for. */
  readonly name: string;
  /** `defaultScopes` when absent. */
  readonly scopes?: readonly ApiScope[];
}

/**
 * Stores a new API key's hash and returns the key itself: `mr_<key id>_<secret>`, which cannot be read again. Throws a TypeError for a
 * tenant whose objects would lie where those of others are, and for the service's own; the Fault GONE for a workspace that is deleted or was
 * purged.
 */
export async function makeKey(
  { keys, clock, chance }: { keys: ApiKeys; clock: Clock; chance: Chance },
  { tenant, workspace, name, scopes = defaultScopes }: NewKey,
): Promise<string> {
  if (areas.some((area) => area === String(tenant)))
    throw new TypeError(`"${tenant}" is the name of a part of the bucket: give the tenant another one.`);
  if (tenant === systemScope.tenant) throw new TypeError(`The tenant "${tenant}" is the service's own.`);
  const createdAt = clock.now();
  const id = newId('key', createdAt, chance);
  const secret = secretOf(chance);
  const put = await keys.putKey({ id, tenant, workspace, secretHash: hashSecret(secret), scopes, name, createdAt });
  if (put === 'gone') throw workspaceDeleted();
  return `mr_${id}_${secret}`;
}
