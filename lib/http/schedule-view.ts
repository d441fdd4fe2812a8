// A schedule as callers see it.
import * as z from 'zod';
import type { JobId } from '../core/ids.ts';
import { toIso } from '../core/time.ts';
import { laneSchema } from '../job/row.ts';
import { catchUps, overlaps, type Schedule, type ScheduleRun } from '../job/schedule/schedule.ts';
import { idSchema, isoTime } from './schemas.ts';
import { scheduleId } from './schedule-request.ts';

const runSchema = z.strictObject({
  at: isoTime.meta({ description: 'The time of the schedule, or of the start by hand.' }),
  outcome: z.enum(['started', 'skipped', 'missed', 'failed']),
  by: z.enum(['time', 'hand']),
  jobId: idSchema<JobId>('job').optional(),
  until: isoTime.optional().meta({ description: 'The last of several such times in a row.' }),
  count: z.int().optional().meta({ description: 'How many there were.' }),
  code: z.string().optional().meta({ description: 'Why it could not be submitted.' }),
  detail: z.string().optional(),
});

export const scheduleSchema = z
  .strictObject({
    id: scheduleId,
    state: z.enum(['active', 'paused']),
    kind: z.string(),
    input: z.unknown(),
    cron: z.string().optional(),
    timeZone: z.string().optional(),
    everySeconds: z.int().optional(),
    anchor: isoTime.optional(),
    overlap: z.enum(overlaps),
    catchUp: z.enum(catchUps),
    catchUpLimit: z.int(),
    startWithinSeconds: z.int().optional(),
    lane: laneSchema.optional(),
    flow: z.string().optional(),
    nextAt: isoTime.optional().meta({ description: 'Absent while it is paused.' }),
    runs: z.array(runSchema).meta({ description: 'The last ten, the newest first.' }),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({ id: 'Schedule' });

const runView = ({ at, until, ...run }: ScheduleRun): z.input<typeof runSchema> => ({
  at: toIso(at),
  ...run,
  ...(until !== undefined && { until: toIso(until) }),
});

export function scheduleView(schedule: Schedule): z.input<typeof scheduleSchema> {
  const { input, timing, anchored: _, ...definition } = schedule.definition;
  const times = 'cron' in timing ? timing : { everySeconds: timing.everySeconds, anchor: toIso(timing.anchor) };
  return {
    id: schedule.ref.name,
    state: schedule.state,
    ...definition,
    input: JSON.parse(input) as unknown,
    ...times,
    ...(schedule.nextAt !== undefined && { nextAt: toIso(schedule.nextAt) }),
    runs: schedule.runs.map(runView),
    createdAt: toIso(schedule.createdAt),
    updatedAt: toIso(schedule.updatedAt),
  };
}
