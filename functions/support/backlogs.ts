import { asError } from '../../lib/core/check.ts';
import { checkBacklogs } from '../../lib/job/health/health.ts';

/** How many lanes and flows are behind; 0 where that could not be looked at, since the sweep beside it is what matters. */
export const countBacklogs = (engine: Parameters<typeof checkBacklogs>[0]): Promise<number> =>
  checkBacklogs(engine).catch((thrown: unknown) => {
    engine.log.warn('The backlogs could not be looked at.', { error: asError(thrown).message });
    return 0;
  });
