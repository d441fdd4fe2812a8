// API keys: `mr_<key id>_<secret>`. The id finds the row, the secret's hash proves it; the secret itself is never stored.
import type { KeyId, TenantId, WorkspaceId } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { Workspaces } from '../ingest/deletion/workspace/ports.ts';

/** What a key has where nobody says otherwise. */
export const defaultScopes = ['jobs:read', 'jobs:write', 'datasets:read', 'datasets:write', 'query'] as const;
/** `workspace:delete` is given by name only. */
export const scopes = [...defaultScopes, 'workspace:delete'] as const;
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

export interface ApiKeys extends Pick<Workspaces, 'workspaceEnd'> {
  /** Put-if-absent; `gone` where the workspace is deleted or was purged. */
  putKey(key: ApiKeyRecord): Promise<'created' | 'exists' | 'gone'>;
  getKey(id: KeyId): Promise<ApiKeyRecord | undefined>;
}
