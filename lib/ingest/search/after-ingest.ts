// What follows a publish, as one job: a success owes one job only. It submits what else is owed first, then merges the index of the
// workspace, which may meet others at the same work, and has it embedded where there is a model.
import * as z from 'zod';
import type { DatasetId } from '../../core/ids.ts';
import { objectKey } from '../../core/objects.ts';
import { millis } from '../../core/time.ts';
import { defineJob, type JobKind } from '../../job/registry.ts';
import type { FollowUp } from '../../job/waits/owed.ts';
import { idOf } from '../id-of.ts';
import type { Room } from './index-patch.ts';
import { AFTER_INGEST_KIND } from './mend.ts';
import type { MergeDeps } from './merge.ts';
import { EMBED_KIND, isBehind } from './vectors/embed-job.ts';
import type { EmbedderSettings } from './vectors/embeddings.ts';

const afterIngestInput = z.lazy(() =>
  z.strictObject({
    /** All of the workspace where left out. */
    dataset: idOf('ds').optional(),
    /** The key of an index in which somebody met what cannot be read. */
    damaged: z.string().optional(),
    /** Jobs to submit besides, as children. */
    owed: z.array(z.strictObject({ kind: z.string(), input: z.unknown(), delay: z.int().optional() })).optional(),
  }),
);
type AfterIngestInput = z.infer<typeof afterIngestInput>;

/** What a stage that publishes asks to follow; `owed`: what else is to be submitted. */
export const afterIngest = (dataset: DatasetId, owed?: AfterIngestInput['owed']): FollowUp => ({
  kind: AFTER_INGEST_KIND,
  input: { dataset, ...(owed !== undefined && owed.length > 0 && { owed }) },
});

/** The most tables and columns of a workspace that can be found. */
export const MOST_ENTRIES = 100_000;
/** What the functions that merge and search have memory for. */
export const indexRoom: Room = { entries: MOST_ENTRIES, bytes: 96 * 2 ** 20 };

export interface AfterIngestDeps extends Omit<MergeDeps, 'clock' | 'log' | 'room'> {
  /** The index is embedded too, by a job of its own, where it is there. */
  readonly embedder?: EmbedderSettings | undefined;
}

export const createAfterIngest = (deps: AfterIngestDeps): JobKind<AfterIngestInput> =>
  defineJob({
    kind: AFTER_INGEST_KIND,
    internal: true,
    input: afterIngestInput,
    run: async (ctx, { dataset, damaged, owed = [] }) => {
      for (const { kind, input, delay } of owed)
        await ctx.submit(kind, input, delay === undefined ? {} : { delay: millis(delay) });
      // Loaded when it is needed: whoever only knows the kind starts without it.
      const { mergeIndex } = await import('./merge.ts');
      const { ref, epoch, clock, log, signal } = ctx;
      const scope = { tenant: ref.tenant, workspace: ref.workspace };
      const prefix = objectKey(ref.tenant, ref.workspace, 'search', ref.id, epoch);
      const asked = { scope, dataset, damaged, prefix, signal };
      const merged = await mergeIndex({ ...deps, clock, log, room: indexRoom }, asked);
      if (await isBehind(deps, ctx)) await ctx.submit(EMBED_KIND, {}, { name: 'embed' });
      return { merged };
    },
  });
