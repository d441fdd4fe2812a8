// What the jobs of a simulated run share: the scope, and what they are switched by.
import type { Scope, TenantId, WorkspaceId } from '../../core/ids.ts';

export const scope: Scope = { tenant: 'acme' as unknown as TenantId, workspace: 'main' as unknown as WorkspaceId };
export const FLOW = 'flow';
export const GUARD = 'guard';
