// The one body of a doorbell message. A message is a hint to look at the row: it carries where the row is and its epoch, nothing else.
import * as z from 'zod';
import type { Epoch, JobId, TenantId, WorkspaceId } from '../core/ids.ts';
import type { Doorbell } from '../job/ports.ts';

const bodySchema = z.object({ t: z.string().min(1), w: z.string().min(1), id: z.string().min(1), e: z.int() });

export const writeDoorbell = ({ ref, epoch }: Doorbell): string =>
  JSON.stringify({ t: ref.tenant, w: ref.workspace, id: ref.id, e: epoch });

/** Reads a message's body; undefined for one that is no doorbell. */
export function parseDoorbell(body: string): Doorbell | undefined {
  const { success, data } = bodySchema.safeParse(parsed(body));
  if (!success) return undefined;
  const ref = { tenant: data.t as TenantId, workspace: data.w as WorkspaceId, id: data.id as JobId };
  return { ref, epoch: data.e as Epoch };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
