// Workspaces that are gone: a row for each, under the tenant of the system, so that one read tells a whole sweep. What still waits there
// is entombed when it is due.
import type { JobRef, Scope, TenantId, WorkspaceId } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Engine } from '../engine.ts';
import { finalError } from './fingerprint.ts';
import { jobError } from '../run/outcome.ts';
import type { JobStore } from '../ports.ts';
import { afterClaim } from '../gates/release.ts';
import type { JobRow } from '../row.ts';
import type { SideGroup } from '../side/side.ts';
import { isTerminal } from '../status.ts';
import { ending } from '../timing.ts';
import { readRow, writeRule } from '../write.ts';

type EntombEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;

const group: SideGroup = {
  tenant: 'system' as unknown as TenantId,
  workspace: 'system' as unknown as WorkspaceId,
  family: 'workspace',
  group: 'gone',
};
const nameOf = ({ tenant, workspace }: Scope): string => JSON.stringify([tenant, workspace]);
const PAGE = 1000;

/** Says that a workspace is gone: its jobs end as they fall due. Saying it twice says it once. Throws StoreUnavailable. */
export async function workspaceIsGone(store: Pick<JobStore, 'writeSide'>, scope: Scope, now: EpochMs): Promise<void> {
  await store.writeSide({ ...group, name: nameOf(scope) }, 'create', { fields: {}, now });
}

/** Whether a workspace is gone, from one read of all that are. Throws StoreUnavailable. */
export async function goneWorkspaces(store: Pick<JobStore, 'listSides'>): Promise<(scope: Scope) => boolean> {
  const names = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await store.listSides(group, { limit: PAGE, cursor });
    for (const { name } of page.items) names.add(name);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return (scope) => names.has(nameOf(scope));
}

/** The job ended as its tenant did; undefined where it has ended already, or moves on: the next sweep comes back to it. */
export async function entombJob(engine: EntombEngine, ref: JobRef, now: EpochMs): Promise<JobRow | undefined> {
  const row = await readRow(engine, ref);
  if (row === undefined || isTerminal(row.status)) return undefined;
  const error = finalError(row, jobError('TENANT_DELETED', 'The workspace is gone.', false));
  const end = { ...ending(engine.settings, now, 'dead'), error };
  const written = await writeRule(engine, ref, 'entomb', { version: row.version, ...end });
  if (written.kind === 'refused') return undefined;
  if (row.status === 'running') await afterClaim(engine, written.row, row.epoch);
  return written.row;
}
