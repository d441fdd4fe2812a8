// The detectors of a workspace, as documents.
import * as z from 'zod';
import { type Documents, documentFamily } from '../../core/documents.ts';
import type { Scope } from '../../core/ids.ts';
import { type CustomDetector, detectorSchema } from './custom.ts';

export const detectorFamily = (documents: Documents) =>
  documentFamily(documents, { family: 'detector', schema: detectorSchema });

export const detectorPlace = ({ tenant, workspace }: Scope, name: string) => ({
  tenant,
  workspace,
  group: 'workspace',
  name,
});

/** All of a workspace. One that this release would not take is left out: it cannot run here. */
export async function workspaceDetectors(
  documents: Documents,
  { tenant, workspace }: Scope,
): Promise<CustomDetector[]> {
  const stored = documentFamily(documents, { family: 'detector', schema: z.unknown() });
  const all = await stored.all({ tenant, workspace, group: 'workspace' });
  return all.flatMap(({ name, body }) => {
    const read = detectorSchema.safeParse(body);
    return read.success ? [{ ...read.data, name }] : [];
  });
}
