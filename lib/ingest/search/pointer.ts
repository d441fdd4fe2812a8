// Which objects are the index of a workspace and its vectors now: a document each, moved by compare-and-set. Readers may still be on their
// way to the object that one named before, so that one stays for a while and is removed by a later move.
import * as z from 'zod';
import { type Documents, documentFamily, type StoredDocument } from '../../core/documents.ts';
import type { Scope } from '../../core/ids.ts';
import { between, type Clock, type EpochMs, epochMs, minutes } from '../../core/time.ts';
import type { Objects } from '../../core/objects.ts';

const named = {
  key: z.string(),
  /** Epoch ms. */
  at: z.int(),
  /** Objects that were named before, and until when. */
  old: z.array(z.strictObject({ key: z.string(), at: z.int() })),
};
interface Version {
  readonly key: string;
  readonly at: number;
  readonly old: readonly { readonly key: string; readonly at: number }[];
}

interface IndexCounts {
  readonly tables: number;
  readonly entries: number;
  /** Tables that found no room. */
  readonly leftOut: number;
}
export type Pointer = Version & IndexCounts;
const pointerSchema: z.ZodType<Pointer> = z.lazy(() =>
  z.strictObject({ ...named, tables: z.int(), entries: z.int(), leftOut: z.int() }),
);

interface VectorFacts {
  readonly model: string;
  readonly dimensions: number;
  readonly count: number;
  /** The key of the index whose entries they are of. */
  readonly index: string;
  /** Whether each of those has one. */
  readonly complete: boolean;
}
export type VectorPointer = Version & VectorFacts;
const vectorPointerSchema: z.ZodType<VectorPointer> = z.lazy(() =>
  z.strictObject({
    ...named,
    ...{ model: z.string(), dimensions: z.int(), count: z.int() },
    ...{ index: z.string(), complete: z.boolean() },
  }),
);

/** How long a reader may take from the pointer to its object. */
const grace = minutes(10);

interface PointerDeps {
  readonly documents: Documents;
  readonly objects: Pick<Objects, 'delete'>;
  readonly clock: Clock;
}

export const openPointer = (deps: PointerDeps): PointerStore<IndexCounts> => open(deps, 'index', pointerSchema);
export const openVectorPointer = (deps: PointerDeps): PointerStore<VectorFacts> =>
  open(deps, 'vectors', vectorPointerSchema);

export interface PointerStore<Facts> {
  /** Removes what nobody can be on the way to any more; where it has moved since `before` was read, that is for others to do. */
  forgetOld(scope: Scope, before: StoredDocument<Version & Facts> | undefined): Promise<void>;
  read(scope: Scope): Promise<StoredDocument<Version & Facts> | undefined>;
  /** False where it has moved since `before` was read. Removes what nobody can be on the way to any more. */
  move(
    scope: Scope,
    before: StoredDocument<Version & Facts> | undefined,
    next: Pick<Version, 'key'> & Facts,
  ): Promise<boolean>;
}

const overAt = (now: EpochMs, old: Version['old']) => old.filter(({ at }) => between(epochMs(at), now) >= grace);

function open<Facts>(
  { documents, objects, clock }: PointerDeps,
  name: string,
  schema: z.ZodType<Version & Facts>,
): PointerStore<Facts> {
  const family = documentFamily(documents, { family: 'search', schema });
  const placeOf = ({ tenant, workspace }: Scope) => ({ tenant, workspace, group: 'workspace', name });
  return {
    read: (scope) => family.get(placeOf(scope)),
    forgetOld: async (scope, before) => {
      const over = overAt(clock.now(), before?.body.old ?? []);
      if (before === undefined || over.length === 0) return;
      const body = { ...before.body, old: before.body.old.filter((each) => !over.includes(each)) };
      if ((await family.put(placeOf(scope), body, before.version)) === 'moved') return;
      for (const { key } of over) await objects.delete(key);
    },
    move: async (scope, before, next) => {
      const now = clock.now();
      const left = before === undefined || before.body.key === next.key ? [] : [before.body.key];
      const old = [...(before?.body.old ?? []), ...left.map((key) => ({ key, at: now }))];
      const over = overAt(now, old);
      const body = { ...next, at: now, old: old.filter((each) => !over.includes(each)) };
      if ((await family.put(placeOf(scope), body, before?.version ?? 0)) === 'moved') return false;
      for (const { key } of over) await objects.delete(key);
      return true;
    },
  };
}
