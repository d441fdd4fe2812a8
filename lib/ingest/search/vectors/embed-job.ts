// The job that embeds what a workspace's index has and its vectors have not: one at a time, so that nothing is paid for twice. What a budget
// or a service leaves is a job of its own, later.
import * as z from 'zod';
import type { Documents } from '../../../core/documents.ts';
import type { Scope } from '../../../core/ids.ts';
import { objectKey, type Objects } from '../../../core/objects.ts';
import { millis, minutes } from '../../../core/time.ts';
import { defineJob, type JobContext, type JobKind } from '../../../job/registry.ts';
import { snooze } from '../../../job/run/outcome.ts';
import { thenSubmit } from '../../../job/waits/owed.ts';
import { mendIndex } from '../mend.ts';
import { openPointer, openVectorPointer } from '../pointer.ts';
import type { EmbedderSettings } from './embeddings.ts';
import { isOf } from './vector-file.ts';

export interface EmbedJobDeps {
  readonly documents: Documents;
  readonly objects: Objects;
  /** Nothing is embedded where left out. */
  readonly embedder?: EmbedderSettings | undefined;
}

export const EMBED_KIND = 'system.embed';

const embedInput = z.lazy(() =>
  z.strictObject({
    /** It goes on with what another run has left. */
    follows: z.boolean().optional(),
  }),
);
type EmbedInput = z.infer<typeof embedInput>;

/** How long a run asks: a function has a quarter of an hour in all. */
const ASKING = minutes(5);

/** Whether there is something to embed; two small reads. */
export async function isBehind({ embedder, ...deps }: EmbedJobDeps, { ref, clock }: JobContext): Promise<boolean> {
  if (embedder === undefined) return false;
  const scope: Scope = ref;
  const [index, vectors] = await Promise.all([
    openPointer({ ...deps, clock }).read(scope),
    openVectorPointer({ ...deps, clock }).read(scope),
  ]);
  if (index === undefined) return false;
  const { body } = vectors ?? {};
  return !(body?.complete === true && body.index === index.body.key && isOf(body, embedder.embeddings));
}

export const createEmbed = ({ documents, objects, embedder }: EmbedJobDeps): JobKind<EmbedInput> =>
  defineJob({
    kind: EMBED_KIND,
    internal: true,
    input: embedInput,
    concurrency: { limit: 1 },
    run: async (ctx, { follows = false }) => {
      if (embedder === undefined) return { embedded: 0, left: 0 };
      // Loaded when it is needed: whoever only knows the kind starts without it.
      const [{ embedIndex }, { createBudget }, { passAfter }] = await Promise.all([
        import('./embed-index.ts'),
        import('../../describe/ledger.ts'),
        import('../../describe/describing.ts'),
      ]);
      const { clock, signal, epoch } = ctx;
      const { tenant, workspace, id: job } = ctx.ref;
      const scope = { tenant, workspace };
      const budget = createBudget({ documents, scope, clock, limits: embedder.limits, job, attempt: String(epoch) });
      const prefix = objectKey(tenant, workspace, 'search', job, epoch);
      const deps = { documents, objects, clock, log: ctx.log, embedder, budget };
      const { failure, why, damaged, ...result } = await embedIndex(deps, { scope, prefix, asking: ASKING, signal });
      // It comes again with the index that is made.
      if (damaged !== undefined) return thenSubmit(result, mendIndex(damaged));
      if (why === 'time') return snooze(millis(0));
      if (why === undefined) return result;
      ctx.log.warn('embed.left', { ...result, why, failure });
      const by = follows ? 'pass due' : 'other';
      const after = await passAfter(ctx, documents, { family: 'search', group: 'embed' }, { why, by });
      const told = { ...result, why };
      return after === undefined
        ? told
        : thenSubmit(told, { kind: EMBED_KIND, input: { follows: true }, delay: after });
    },
  });
