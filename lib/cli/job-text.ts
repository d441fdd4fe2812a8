// A job as the command shows it: a row of a table, or a page with its timeline.
import * as z from 'zod';
import { relative, shortDuration } from './format.ts';
import { type Io, paint, statusStyle } from './io.ts';
import { clean, type Column, renderTable } from './table.ts';

const progress = z.object({ done: z.number(), total: z.number(), note: z.string() });
const error = z.looseObject({
  code: z.string(),
  detail: z.string(),
  next: z.string().optional(),
  stage: z.string().optional(),
});

export const jobSchema = z.looseObject({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  version: z.number(),
  attempts: z.number(),
  maxAttempts: z.number(),
  crashes: z.number(),
  maxCrashes: z.number(),
  lane: z.string(),
  epoch: z.number(),
  flow: z.string().optional(),
  parentId: z.string().optional(),
  stage: z.string().optional(),
  progress: progress.optional(),
  waiting: z
    .object({ reason: z.string(), detail: z.string(), since: z.string(), next: z.string().optional() })
    .optional(),
  cancelRequested: z.string().optional(),
  error: error.optional(),
  result: z.unknown().optional(),
  correlationId: z.string(),
  createdAt: z.string(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
});
export type JobText = z.output<typeof jobSchema>;

export const eventSchema = z.looseObject({
  version: z.number(),
  rule: z.string(),
  status: z.string(),
  epoch: z.number(),
  at: z.string(),
  reason: z.string().optional(),
  notBefore: z.string().optional(),
  stage: z.string().optional(),
  error: error.optional(),
});
type EventText = z.output<typeof eventSchema>;

export function progressText({ progress: how }: Pick<JobText, 'progress'>): string {
  if (how === undefined) return '';
  const share = how.total > 0 ? `${Math.floor((100 * how.done) / how.total)} %` : `${how.done}`;
  return how.note === '' ? share : `${share} ${how.note}`;
}

/** When somebody looks next; a time that is past is one for the next sweep. */
const dueText = (iso: string, now: number): string => (Date.parse(iso) < now ? 'due ' : '') + relative(iso, now);

/** Why it is where it is, in a few words. */
function whyText({ waiting, error: failure, status, stage, progress: how }: JobText, now: number): string {
  if (waiting !== undefined)
    return `${waiting.reason}${waiting.next === undefined ? '' : `, ${dueText(waiting.next, now)}`}`;
  if (status === 'running') return [stage, progressText({ progress: how })].filter(Boolean).join(' ');
  return failure === undefined ? '' : `${failure.code}: ${failure.detail}`;
}

export const jobColumns = (now: number): readonly Column<JobText>[] => [
  { title: 'job', text: ({ id }) => id, whole: true },
  { title: 'kind', text: ({ kind }) => kind },
  { title: 'status', text: ({ status }) => status, style: ({ status }) => statusStyle(status), whole: true },
  { title: 'try', text: ({ attempts, maxAttempts }) => (attempts === 0 ? '' : `${attempts}/${maxAttempts}`) },
  { title: 'age', text: ({ createdAt }) => relative(createdAt, now).replace(' ago', ''), right: true, whole: true },
  { title: 'flow', text: ({ flow }) => flow ?? '', wide: true },
  { title: 'why', text: (job) => whyText(job, now) },
];

const eventColumns: readonly Column<EventText>[] = [
  { title: 'time', text: ({ at }) => at.replace('T', ' ').replace('Z', ''), whole: true },
  { title: 'rule', text: ({ rule }) => rule, whole: true },
  { title: 'status', text: ({ status }) => status, style: ({ status }) => statusStyle(status), whole: true },
  { title: 'version', text: ({ version }) => String(version), right: true },
  { title: 'epoch', text: ({ epoch }) => String(epoch), right: true },
  { title: 'stage', text: ({ stage }) => stage ?? '' },
  { title: 'why', text: eventWhy },
];

function eventWhy({ error: failure, reason, notBefore }: EventText): string {
  const goesOn = notBefore === undefined ? '' : `not before ${notBefore.slice(11, 23)}`;
  const why = failure === undefined ? reason : `${failure.code}: ${failure.detail}`;
  return [why, goesOn].filter(Boolean).join('; ');
}

/** The timeline's versions and epochs count from the job's start, so that a person can tell them apart. */
export function timelineText(io: Io, events: readonly EventText[], job: JobText): string {
  const start = Date.parse(job.createdAt);
  const shown = events.map((event) => ({ ...event, version: event.version - start, epoch: event.epoch - start }));
  return renderTable(io, eventColumns, shown);
}

/** What is known of a job, a line each. */
export function jobText(io: Io, job: JobText, now: number): string {
  const lines: [string, string | undefined][] = [
    ['kind', job.kind],
    ['status', paint(io, statusStyle(job.status), job.status)],
    ['waiting', job.waiting && clean(`${job.waiting.reason}: ${job.waiting.detail}`)],
    ['since', job.waiting && relative(job.waiting.since, now)],
    ['next look', job.waiting?.next && dueText(job.waiting.next, now)],
    ['told to stop', job.cancelRequested && clean(job.cancelRequested)],
    ['stage', job.stage],
    ['progress', clean(progressText(job)) || undefined],
    ['failures', `${job.attempts} of ${job.maxAttempts} attempts, ${job.crashes} of ${job.maxCrashes} crashes`],
    ['error', job.error && paint(io, 'red', clean(`${job.error.code}: ${job.error.detail}`))],
    ['what next', job.error?.next],
    ['flow', job.flow],
    ['parent', job.parentId],
    ['lane', job.lane],
    ['created', `${job.createdAt} (${relative(job.createdAt, now)})`],
    ['started', job.startedAt],
    ['finished', job.finishedAt && `${job.finishedAt}${ranFor(job)}`],
    ['correlation', job.correlationId],
    ['result', job.result === undefined ? undefined : JSON.stringify(job.result)],
  ];
  const told = lines.filter((line): line is [string, string] => line[1] !== undefined);
  const width = Math.max(...told.map(([name]) => name.length));
  return [
    paint(io, 'bold', job.id),
    ...told.map(([name, text]) => `  ${paint(io, 'dim', name.padEnd(width))}  ${text}`),
  ].join('\n');
}

const ranFor = ({ startedAt, finishedAt }: JobText): string =>
  startedAt === undefined || finishedAt === undefined
    ? ''
    : ` (the last run took ${shortDuration(Date.parse(finishedAt) - Date.parse(startedAt))})`;
