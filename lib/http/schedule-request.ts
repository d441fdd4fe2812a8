// What callers ask of a schedule, as JSON, and the definition that it becomes.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import { type EpochMs, epochMs, later } from '../core/time.ts';
import { validInput } from '../job/submit/new-row.ts';
import { laneSchema } from '../job/row.ts';
import { catchUps, overlaps, type ScheduleDefinition } from '../job/schedule/schedule.ts';
import { LONGEST_INTERVAL, SHORTEST_INTERVAL, type Timing, timingProblem } from '../job/schedule/times.ts';
import type { Caller } from './auth.ts';
import type { JobParts } from './deps.ts';
import { pathKey } from './gate-fields.ts';
import { FARTHEST, kindName, requireKind } from './job-request.ts';
import { requireKindScope } from './kind-scopes.ts';
import { isoTime } from './schemas.ts';

export const scheduleId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'It is not 1 to 64 of A-Z a-z 0-9 . _ -.')
  .meta({
    description: '1 to 64 of A–Z a–z 0–9 . _ -, named by who makes the schedule.',
    examples: ['nightly-report'],
  });

const MOST_CATCH_UP = 100;
/** Bytes of JSON: it is part of the row that each run changes. */
const LARGEST_INPUT = 32 * 1024;

/** ISO 8601, without the units whose length depends on the date. */
const DURATION = /^P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/;
const UNITS = [604_800, 86_400, 3600, 60, 1];

/** Undefined for what is no duration. */
function secondsOf(duration: string): number | undefined {
  const [whole, ...parts]: (string | undefined)[] = DURATION.exec(duration) ?? [];
  if (whole === undefined || parts.every((part) => part === undefined)) return undefined;
  return parts.reduce((sum, part = '0', at) => sum + Number(part) * (UNITS[at] ?? 0), 0);
}

const every = z
  .union([z.int(), z.string().max(40)])
  .refine((given) => {
    const length = typeof given === 'number' ? given : secondsOf(given);
    return length !== undefined && length >= SHORTEST_INTERVAL && length <= LONGEST_INTERVAL;
  }, `It is neither whole seconds nor an ISO 8601 duration of weeks, days, hours, minutes and seconds, or not ${SHORTEST_INTERVAL} s to 366 days long.`)
  .meta({
    description: `Seconds, or an ISO 8601 duration such as \`PT15M\`; at least ${SHORTEST_INTERVAL} s. A day is 24 hours.`,
    examples: ['PT15M', 90],
  });

export const scheduleRequest = z
  .strictObject({
    kind: kindName,
    input: z.unknown().meta({ description: 'Any JSON of at most 32 KiB; checked by the schema of the kind.' }),
    cron: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({
        description: 'Minute, hour, day of the month, month, day of the week.',
        examples: ['30 2 * * 1-5'],
      }),
    timeZone: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'IANA name; `UTC` by default. Only with `cron`.', examples: ['Europe/Berlin'] }),
    every: every.optional(),
    anchor: isoTime.optional().meta({
      description:
        'The first of the times of `every`, at most 365 days away; by default when the schedule was made. Only with `every`.',
    }),
    overlap: z.enum(overlaps).default('skip').meta({
      description:
        'What becomes of a time at which the run before has not ended: `skip` it, `queue` it until that one has ended, `replace` that one, or `allow` both.',
    }),
    catchUp: z.enum(catchUps).default('last').meta({
      description:
        'What becomes of times that nobody was there for: `last` runs the newest, `all` the newest `catchUpLimit`, `none` drops what is over 5 minutes late.',
    }),
    catchUpLimit: z.int().min(1).max(MOST_CATCH_UP).default(MOST_CATCH_UP),
    startWithinSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .optional()
      .meta({ description: 'A run that did not start this long after its time is dropped.' }),
    lane: laneSchema.optional(),
    flow: pathKey.optional(),
  })
  .refine(({ cron, every: interval }) => (cron === undefined) !== (interval === undefined), {
    path: ['cron'],
    error: 'Give either cron or every.',
  })
  .refine(({ cron, timeZone }) => timeZone === undefined || cron !== undefined, {
    path: ['timeZone'],
    error: 'It goes with cron only.',
  })
  .refine(({ every: interval, anchor }) => anchor === undefined || interval !== undefined, {
    path: ['anchor'],
    error: 'It goes with every only.',
  });
type ScheduleRequest = z.output<typeof scheduleRequest>;

/** Throws Fault UNKNOWN_KIND, FORBIDDEN, VALIDATION_FAILED with pointers into the request, and LIMIT_EXCEEDED. */
export function definitionOf(
  deps: Pick<JobParts, 'registry' | 'clock'>,
  caller: Caller,
  { cron, timeZone, every: interval, anchor, input, ...kept }: ScheduleRequest,
): ScheduleDefinition {
  requireKind(deps, kept.kind);
  requireKindScope(caller, kept.kind);
  const now = deps.clock.now();
  const timing = timingOf({ cron, timeZone, every: interval, anchor }, now);
  const problem = timingProblem(timing, now);
  if (problem !== undefined) throw wrong(problem.field, problem.detail);
  return { ...kept, input: inputOf(deps, kept.kind, input), timing, anchored: anchor !== undefined };
}

type Times = Pick<ScheduleRequest, 'cron' | 'timeZone' | 'every' | 'anchor'>;

function timingOf({ cron, timeZone = 'UTC', every: interval, anchor }: Times, now: EpochMs): Timing {
  if (cron !== undefined) return { cron, timeZone };
  const everySeconds = typeof interval === 'string' ? secondsOf(interval) : interval;
  if (everySeconds === undefined) throw wrong('every', 'It is no duration.');
  return { everySeconds, anchor: anchor === undefined ? now : anchorOf(anchor, now) };
}

function anchorOf(text: string, now: EpochMs): EpochMs {
  const anchor = epochMs(Date.parse(text));
  if (anchor > later(now, FARTHEST)) throw wrong('anchor', 'It is more than 365 days away; no run comes before it.');
  return anchor;
}

function inputOf({ registry }: Pick<JobParts, 'registry'>, name: string, input: unknown): string {
  const kind = registry.find(name);
  if (kind === undefined) throw wrong('kind', 'No such kind is deployed.');
  const json = validInput(kind, input);
  const size = Buffer.byteLength(json);
  if (size <= LARGEST_INPUT) return json;
  throw new Fault('LIMIT_EXCEEDED', `The input is ${size} bytes; that of a schedule may have ${LARGEST_INPUT}.`, {
    errors: [{ pointer: '#/input', detail: `It has more than ${LARGEST_INPUT} bytes.` }],
  });
}

const wrong = (field: string, detail: string): Fault =>
  new Fault('VALIDATION_FAILED', `#/${field}: ${detail}`, { errors: [{ pointer: `#/${field}`, detail }] });
