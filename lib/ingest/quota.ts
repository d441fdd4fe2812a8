// How much a workspace may store: counted within the writes that make bytes visible, and asked beforehand to spare the work.
import { Fault } from '../core/fault.ts';
import type { Scope } from '../core/ids.ts';
import type { Catalog } from './catalog.ts';

/** The most that a workspace may store, bytes, where a deployment says nothing else. */
export const WORKSPACE_BYTES = 200 * 2 ** 30;

/** `bytes`: what was to be added. */
export const quotaExceeded = ({ bytes, most = 0 }: { readonly bytes: number; readonly most?: number | undefined }) =>
  new Fault('STORAGE_QUOTA_EXCEEDED', `A workspace may store ${most} bytes, and ${bytes} more do not fit.`, {
    extra: { limit: most },
  });

/** Throws the Fault STORAGE_QUOTA_EXCEEDED where so many bytes more would be too many by now. The write that counts them tests it again. */
export async function requireRoom(
  catalog: Pick<Catalog, 'getUsage'>,
  scope: Scope,
  stored: { readonly bytes: number; readonly most?: number | undefined },
): Promise<void> {
  const { bytes, most } = stored;
  if (most === undefined) return;
  if ((await catalog.getUsage(scope)).bytes + bytes > most) throw quotaExceeded(stored);
}
