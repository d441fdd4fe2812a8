// The kind of a tick, for whoever runs it: it brings its schedule up to date, whatever has become of that since the tick was sent.
import type { TenantId, WorkspaceId } from '../../core/ids.ts';
import { defineJob, type JobKind } from '../registry.ts';
import { advance } from './advance.ts';
import { scheduleRef } from './schedule.ts';
import type { StartEngine } from './start.ts';
import { type TickInput, tickOptions } from './tick.ts';

/** `engine` is asked when a tick runs: its registry holds this kind too. */
export const createTickKind = (engine: () => StartEngine): JobKind<TickInput> =>
  defineJob({
    ...tickOptions,
    run: async (_ctx, { tenant, workspace, schedule }) => {
      const scope = { tenant: tenant as TenantId, workspace: workspace as WorkspaceId };
      return { started: await advance(engine(), scheduleRef(scope, schedule)) };
    },
  });
