// Where the system's own work runs: under a tenant of its own, so that no workspace sees it, and what removes a workspace is not removed with it.
import type { Scope, TenantId, WorkspaceId } from '../core/ids.ts';

export const systemScope: Scope = { tenant: 'system' as TenantId, workspace: 'system' as WorkspaceId };
