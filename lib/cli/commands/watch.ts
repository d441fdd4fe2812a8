// Watching a job until it has ended: a long poll after the other, each from the version that was seen last.
import { seconds } from '../../core/time.ts';
import { type Context, printJson } from '../context.ts';
import { CliFailure, exitCodes } from '../failure.ts';
import { type JobText, jobSchema, jobText } from '../job-text.ts';
import { liveLine } from '../progress-bar.ts';

const ended: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'dead']);
const WAIT = 20;
/** A service without a free place answers at once; so does one that does not know how to wait. */
const LEAST_PAUSE = seconds(1);

/** Shows the job as it changes, and prints it once it has ended; fails unless it succeeded. */
export async function watchJob(context: Context, id: string): Promise<void> {
  const path = `/v1/jobs/${encodeURIComponent(id)}`;
  let job = jobSchema.parse(await context.client.get(path));
  const line = liveLine(context.io);
  try {
    for (line.show(job); !ended.has(job.status); line.show(job)) job = await next(context, path, job);
  } finally {
    line.stop();
  }
  if (context.json) printJson(context, job);
  else context.io.out(`${jobText(context.io, job, context.clock.now())}\n`);
  if (job.status !== 'succeeded') context.fail();
}

async function next({ client, clock, io }: Context, path: string, job: JobText): Promise<JobText> {
  const asked = clock.monotonic();
  const found = jobSchema.parse(await client.get(`${path}/watch`, { wait: WAIT, after: job.version }));
  const early = found.version === job.version && clock.monotonic() - asked < LEAST_PAUSE;
  if (early) await clock.sleep(LEAST_PAUSE, io.signal);
  if (io.signal.aborted) throw new CliFailure(exitCodes.interrupted, 'Interrupted.');
  return found;
}
