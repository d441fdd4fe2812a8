// API keys: `mr_<key id>_<secret>`. The id finds the row, the secret's hash proves it; the secret itself is never stored.
import type { KeyId, TenantId, WorkspaceId } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';

export const scopes = ['jobs:read', 'jobs:write', 'datasets:read', 'datasets:write', 'query'] as const;
export type ApiScope = (typeof scopes)[number];

export interface ApiKeyRecord {
  readonly id: KeyId;
  readonly tenant: TenantId;
  readonly workspace: WorkspaceId;
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  readonly scopes: readonly ApiScope[];
  readonly name: string;
  readonly createdAt: EpochMs;
  readonly revokedAt?: EpochMs | undefined;
}

export interface ApiKeys {
  /** Put-if-absent. */
  putKey(key: ApiKeyRecord): Promise<'created' | 'exists'>;
  getKey(id: KeyId): Promise<ApiKeyRecord | undefined>;
}
