import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { days, type EpochMs, epochMs, later, seconds } from '../../core/time.ts';
import type { JobParts } from '../deps.ts';
import { defineRoute } from '../route.ts';
import { isoTime } from '../schemas.ts';
import { preferHeader, submitAnswers, submitReply } from '../submit.ts';

const MAX_DELAY = days(365);

/** Internal kinds are the engine's own: for callers they do not exist. */
function requireKind({ registry }: Pick<JobParts, 'registry'>, kind: string): void {
  const open = (name: string) => registry.find(name)?.internal !== true;
  if (registry.find(kind) && open(kind)) return;
  const known = registry.names().filter(open);
  throw new Fault('UNKNOWN_KIND', `There is no kind of that name. Known: ${known.join(', ')}.`, { extra: { known } });
}

const submission = z
  .strictObject({
    kind: z.string().min(1).max(100),
    input: z.unknown().meta({ description: 'Any JSON; checked by the schema of the kind.' }),
    notBefore: isoTime.optional().meta({ description: 'Start then, or as soon as may be after it.' }),
    delaySeconds: z
      .int()
      .min(0)
      .max(MAX_DELAY / 1000)
      .optional(),
  })
  .refine(({ notBefore, delaySeconds }) => notBefore === undefined || delaySeconds === undefined, {
    path: ['delaySeconds'],
    error: 'Give notBefore or delaySeconds, not both.',
  });

function startOf({ notBefore, delaySeconds }: z.output<typeof submission>, now: EpochMs): EpochMs | undefined {
  if (delaySeconds !== undefined) return later(now, seconds(delaySeconds));
  if (notBefore === undefined) return undefined;
  const start = epochMs(Date.parse(notBefore));
  if (start <= later(now, MAX_DELAY)) return start;
  const errors = [{ pointer: '#/notBefore', detail: 'It is more than 365 days away.' }];
  throw new Fault('VALIDATION_FAILED', 'The start is too far away.', { errors });
}

const submitRoute = defineRoute({
  method: 'POST',
  path: '/v1/jobs',
  operationId: 'submitJob',
  summary: 'Submit a job of a registered kind',
  access: 'jobs:write',
  servedBy: 'api',
  request: { headers: preferHeader, body: submission },
  answers: submitAnswers,
  problems: ['UNKNOWN_KIND'],
  handle: async (call) => {
    const { deps, body } = call;
    requireKind(deps, body.kind);
    const notBefore = startOf(body, deps.clock.now());
    const { kind, input } = body;
    return submitReply(call, { kind, input, ...(notBefore !== undefined && { notBefore }) });
  },
});

export const submitRoutes = [submitRoute];
