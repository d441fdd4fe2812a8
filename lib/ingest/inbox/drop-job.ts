// The job of a drop: takes the object, has it ingested, and ends as that ends. What is wrong is told in the job, and for whoever has only the
// bucket, in an object beside the drop.
import * as z from 'zod';
import { Fault, type FaultCode, faultCatalogue } from '../../core/fault.ts';
import { derivedId, type Scope } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import { toIso } from '../../core/time.ts';
import type { ChildEnd } from '../../job/context/types.ts';
import { cancel, TerminalError } from '../../job/run/outcome.ts';
import { defineJob, type JobContext, type JobKind } from '../../job/registry.ts';
import { tidyLater } from '../deletion/kinds.ts';
import { tableSlot } from '../gates.ts';
import { type Drop, problemKey } from './place.ts';
import { type TakeDeps, takeDrop, type Version } from './take.ts';

export const INBOX_KIND = 'inbox-drop';

const inputSchema = z.lazy(() =>
  z.strictObject({
    path: z.string().min(1).max(1024).meta({ description: 'Of the object, behind `inbox/<tenant>/<workspace>/`.' }),
    etag: z.string().min(1).max(200).optional().meta({ description: 'Of the version; what is there when absent.' }),
    sequencer: z
      .string()
      .regex(/^[0-9A-Fa-f]{1,64}$/)
      .optional()
      .meta({ description: 'As the event says it.' }),
  }),
);

/** The job of a version has one id, however often its event comes. */
export const dropJobId = ({ scope: { tenant, workspace }, path }: Drop, { etag, sequencer }: Omit<Version, 'path'>) =>
  derivedId('job', tenant, workspace, 'inbox', path, etag ?? '', sequencer ?? '');

/** Nothing of `deps` is touched before a job runs. */
export const createInboxDrop = (deps: TakeDeps): JobKind<z.output<typeof inputSchema>> =>
  defineJob({
    kind: INBOX_KIND,
    input: inputSchema,
    run: async (ctx, version) => {
      const { tenant, workspace } = ctx.ref;
      const drop = { scope: { tenant, workspace }, path: version.path };
      try {
        return await ingested(ctx, deps, drop.scope, version);
      } catch (thrown) {
        const problem = problemOf(thrown);
        if (problem !== undefined) await tellBeside(deps.objects, ctx, drop, problem);
        throw thrown;
      }
    },
  });

async function ingested(ctx: JobContext, deps: TakeDeps, scope: Scope, version: Version) {
  const taken = await ctx.step('take', () => takeDrop({ scope, clock: ctx.clock }, deps, version));
  if (taken.kind === 'left') return cancel(taken.reason);
  const { input, guard } = taken;
  const { dataset, file, table } = input;
  await tidyLater(deps.engine(), scope, dataset, ctx.correlationId);
  // One after the other: of two versions the later one is published, and what is added builds on what is there.
  const concurrencyKey = tableSlot({ ...scope, ...input }, table);
  await ctx.submit('ingest', input, { name: 'ingest', flow: dataset, concurrencyKey, guard });
  for (const { id: job, ...end } of await ctx.waitForChildren()) {
    if (end.status === 'succeeded') continue;
    if (end.status === 'cancelled') return cancel(end.error?.detail ?? `The ingest ${job} was cancelled.`);
    throw failureOf(end, { file, ingestJobId: job });
  }
  return { dataset, file };
}

const isFault = (code: string): code is FaultCode => Object.hasOwn(faultCatalogue, code);

/** The ingest has had its own attempts. */
function failureOf({ error, status }: Omit<ChildEnd, 'id'>, extra: Readonly<Record<string, string>>): Error {
  const { code = 'INTERNAL', detail = `The ingest ended as ${status}.` } = error ?? {};
  if (isFault(code) && !faultCatalogue[code].retriable) return new Fault(code, detail, { extra });
  return new TerminalError(`The ingest ${extra['ingestJobId'] ?? ''} ended as ${status} (${code}): ${detail}`);
}

/** Undefined where the job is tried again. */
function problemOf(thrown: unknown): object | undefined {
  if (thrown instanceof TerminalError) return { code: 'INGEST_FAILED', detail: thrown.message };
  if (!(thrown instanceof Fault) || faultCatalogue[thrown.code].retriable) return undefined;
  const { code, detail, extra } = thrown;
  const { title, next } = faultCatalogue[code];
  return { ...extra, code, title, detail, next };
}

async function tellBeside(objects: Objects, { ref, clock }: JobContext, drop: Drop, problem: object): Promise<void> {
  const key = problemKey(drop, ref.id);
  const told = { ...problem, jobId: ref.id, at: toIso(clock.now()) };
  if (key !== undefined) await objects.putOnce(key, `${JSON.stringify(told, null, 2)}\n`);
}
