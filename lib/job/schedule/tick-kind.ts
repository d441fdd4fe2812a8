// The kind of a tick, for whoever runs it: it brings its schedule up to date, whatever has become of that since the tick was sent.
import type { TenantId, WorkspaceId } from '../../core/ids.ts';
import { defineJob, type JobKind } from '../registry.ts';
import type { StartEngine } from './start.ts';
import { type TickInput, tickOptions } from './tick.ts';

/** `engine` is asked when a tick runs: its registry holds this kind too. */
export const createTickKind = (engine: () => StartEngine): JobKind<TickInput> =>
  defineJob({
    ...tickOptions,
    run: async (_ctx, { tenant, workspace, schedule }) => {
      // Loaded when a tick runs: every function that submits jobs has this kind, and the reader of cron expressions is long.
      const { advanceNamed } = await import('./advance.ts');
      const scope = { tenant: tenant as TenantId, workspace: workspace as WorkspaceId };
      return { started: await advanceNamed(engine(), scope, schedule) };
    },
  });
