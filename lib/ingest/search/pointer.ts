// Which object is the index of a workspace now: one document, moved by compare-and-set. Readers may still be on their way to the object
// that it named before, so that one stays for a while and is removed by a later move.
import * as z from 'zod';
import { type Documents, documentFamily, type StoredDocument } from '../../core/documents.ts';
import type { Scope } from '../../core/ids.ts';
import { between, type Clock, epochMs, minutes } from '../../core/time.ts';
import type { Objects } from '../../core/objects.ts';

const pointerSchema = z.lazy(() =>
  z.strictObject({
    key: z.string(),
    tables: z.int(),
    entries: z.int(),
    /** Tables that found no room. */
    leftOut: z.int(),
    /** Epoch ms. */
    at: z.int(),
    /** Objects that were named before, and until when. */
    old: z.array(z.strictObject({ key: z.string(), at: z.int() })),
  }),
);
export type Pointer = z.infer<typeof pointerSchema>;

/** How long a reader may take from the pointer to its object. */
const grace = minutes(10);

export function openPointer({
  documents,
  objects,
  clock,
}: {
  documents: Documents;
  objects: Pick<Objects, 'delete'>;
  clock: Clock;
}) {
  const family = documentFamily(documents, { family: 'search', schema: pointerSchema });
  const placeOf = ({ tenant, workspace }: Scope) => ({ tenant, workspace, group: 'workspace', name: 'index' });
  return {
    read: (scope: Scope) => family.get(placeOf(scope)),
    /** False where it has moved since `before` was read. Removes what nobody can be on the way to any more. */
    move: async (
      scope: Scope,
      before: StoredDocument<Pointer> | undefined,
      next: Omit<Pointer, 'old' | 'at'>,
    ): Promise<boolean> => {
      const now = clock.now();
      const left = before === undefined || before.body.key === next.key ? [] : [before.body.key];
      const old = [...(before?.body.old ?? []), ...left.map((key) => ({ key, at: now }))];
      const over = old.filter(({ at }) => between(epochMs(at), now) >= grace);
      const body = { ...next, at: now, old: old.filter((each) => !over.includes(each)) };
      if ((await family.put(placeOf(scope), body, before?.version ?? 0)) === 'moved') return false;
      for (const { key } of over) await objects.delete(key);
      return true;
    },
  };
}
export type PointerStore = ReturnType<typeof openPointer>;
