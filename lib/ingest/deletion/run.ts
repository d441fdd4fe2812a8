// A run of a purge: what it is about, and how it proves that it is still the one.
import type { Documents } from '../../core/documents.ts';
import type { Objects } from '../../core/objects.ts';
import type { JobStore } from '../../job/ports.ts';
import type { JobContext } from '../../job/registry.ts';
import type { Catalog } from '../catalog.ts';
import type { Deletable } from './ports.ts';

export interface PurgeDeps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly objects: Objects;
  /** Whether a job that holds a purge has ended. */
  readonly jobs: Pick<JobStore, 'get'>;
}

export interface PurgeRun {
  readonly ctx: JobContext;
  readonly deps: PurgeDeps;
  readonly thing: Deletable;
  /** Proves the claim. Throws where it was lost, or the run must end. */
  readonly fence: () => Promise<void>;
}

export function purgeRun(ctx: JobContext, deps: PurgeDeps, thing: Deletable): PurgeRun {
  let removals = 0;
  const fence = async () => {
    ctx.signal.throwIfAborted();
    await ctx.checkpoint({ removals: ++removals });
  };
  return { ctx, deps, thing, fence };
}
