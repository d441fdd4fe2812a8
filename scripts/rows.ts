// Writes the rows of a release as that release writes them: `node scripts/rows.ts`, from its checkout, once a release. The
// releases after it read them (test/contract/suite/rows-of-before.ts), so what is written here is never edited by hand.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import type { JobRef, OwnerToken, TenantId, WorkspaceId } from '../lib/core/ids.ts';
import { hours, later, minutes, seconds } from '../lib/core/time.ts';
import { cancelJob } from '../lib/job/run/cancel.ts';
import { createWorker } from '../lib/job/run/worker.ts';
import { continueFrom, TerminalError } from '../lib/job/run/outcome.ts';
import { sweep } from '../lib/job/sweep/reaper.ts';
import { type JobRow, refOf } from '../lib/job/row.ts';
import { submitJob, type SubmitRequest } from '../lib/job/submit/submit.ts';
import { takeJob } from '../lib/job/run/take.ts';
import { dueWhenQueued, ending } from '../lib/job/timing.ts';
import { type ParamsFor, writeRule } from '../lib/job/write.ts';
import { aBench, aKind, bellOf } from '../test/unit/job/bench.ts';

const kinds = [
  aKind(async (_ctx, input) => input, { kind: 'echo' }),
  aKind(async () => 'x'.repeat(1000), { kind: 'long' }),
  aKind(async () => 'x'.repeat(100_000), { kind: 'longer' }),
  aKind(() => Promise.reject(new Error('not yet')), { kind: 'fails' }),
  aKind(() => Promise.reject(new TerminalError('never')), { kind: 'never' }),
  aKind(async (ctx) => ctx.cursor ?? continueFrom({ page: 2 }), { kind: 'continues' }),
  { type: 'pipeline', kind: 'staged', input: z.unknown(), version: '1' } as const,
];

function aWorld() {
  const bench = aBench(...kinds);
  const { engine } = bench;
  const submit = async (kind: string, more: Partial<SubmitRequest> = {}): Promise<JobRow> => {
    const scope = { tenant: 'acme' as TenantId, workspace: 'main' as WorkspaceId };
    const request = { scope, kind, input: { n: 1 }, correlationId: 'cor_1', ...more };
    return (await bench.play(submitJob(engine, request))).row;
  };
  const now = (row: JobRow): JobRow => bench.store.row(row) as JobRow;
  const hear = async (row: JobRow): Promise<JobRow> => {
    await bench.play(createWorker(engine).hear(bellOf(row)));
    return now(row);
  };
  const claim = async (row: JobRow): Promise<JobRow> => {
    await bench.play(takeJob(engine, bellOf(row)));
    return now(row);
  };
  const write = async <N extends Parameters<typeof writeRule>[2]>(row: JobRow, name: N, params: ParamsFor<N>) => {
    const written = await bench.play(writeRule(engine, refOf(row), name, params));
    if (written.kind === 'refused') throw new Error(`${name} was refused`);
    return written.row;
  };
  const sweepAt = async (row: JobRow, after: number): Promise<JobRow> => {
    await bench.waitUntil(after);
    await bench.play(sweep(engine));
    return now(row);
  };
  const fence = (row: JobRow) => ({ epoch: row.epoch, owner: row.leaseOwner as OwnerToken });
  const at = () => engine.clock.now();
  const lease = () => later(at(), engine.settings.lease);
  const cancel = (ref: JobRef) => bench.play(cancelJob(engine, ref, 'asked'));
  return { ...bench, submit, hear, claim, write, sweepAt, fence, now: at, lease, cancel };
}

type World = ReturnType<typeof aWorld>;

/** A stage as it commits, and hands the job on or back. */
const committed = async ({ submit, hear, write, fence, lease }: World, heldBy: 'worker' | 'execution') => {
  const held = await hear(await submit('staged'));
  const owner = 'own_stage' as OwnerToken;
  const begun = await write(held, 'begin', { epoch: held.epoch, owner, previousNo: 1, leaseUntil: lease() });
  const stage = { stage: 'first', stageOutput: 'acme/main/jobs/out/first.json' };
  return write(begun, 'checkpoint', {
    ...fence(begun),
    ...{ previousNo: 1, cursorNo: 2, heldBy, leaseUntil: lease() },
    ...(heldBy === 'worker' ? { cursor: '{"line":7}', progress: { done: 7, total: 9, note: 'lines' } } : stage),
  });
};

const rows: Record<string, (world: World) => Promise<JobRow>> = {
  'queued-new': ({ submit }) => submit('echo', { traceparent: '00-1-2-01' }),
  'queued-delayed': ({ submit, at }) =>
    submit('echo', { notBefore: at(hours(1)), startBy: at(hours(2)), lane: 'due', input: 'x'.repeat(2000) }),
  'queued-retried': async ({ submit, hear }) => hear(await submit('fails')),
  'queued-continued': async ({ submit, hear }) => hear(await submit('continues')),
  'queued-reaped': async ({ submit, claim, sweepAt }) => sweepAt(await claim(await submit('echo')), minutes(2)),
  'queued-re-armed': async ({ submit, sweepAt }) => sweepAt(await submit('echo'), minutes(2)),
  'queued-redriven': async ({ submit, hear, write, now, engine }) => {
    const failed = await hear(await submit('never'));
    return write(failed, 'redrive', { version: failed.version, dueAt: dueWhenQueued(engine.settings, now()) });
  },
  'parked-signal': async ({ submit, claim, write, fence, at }) => {
    const running = await claim(await submit('echo'));
    return write(running, 'park', { ...fence(running), parked: 'signal:go', dueAt: at(hours(1)) });
  },
  'parked-flow': async ({ submit, write, at }) => {
    const queued = await submit('echo');
    return write(queued, 'park', { version: queued.version, parked: 'flow', dueAt: at(minutes(1)) });
  },
  'running-claimed': async ({ submit, claim }) => claim(await submit('echo')),
  'running-beating': async ({ submit, claim, write, fence, at }) => {
    const running = await claim(await submit('echo'));
    const progress = { done: 1, total: 3, note: 'one' };
    return write(running, 'heartbeat', { ...fence(running), leaseUntil: at(seconds(60)), progress });
  },
  'running-cancel-asked': async ({ submit, claim, cancel }) => cancel(refOf(await claim(await submit('echo')))),
  'running-reclaimed': async ({ submit, claim, write, now }) => {
    const running = await claim(await submit('echo'));
    return write(running, 'reclaim', { version: running.version, now: now() });
  },
  'running-execution': async ({ submit, hear }) => hear(await submit('staged')),
  'running-stage': (world) => committed(world, 'worker'),
  'running-between-stages': (world) => committed(world, 'execution'),
  'succeeded-inline': async ({ submit, hear }) => hear(await submit('echo')),
  'succeeded-item': async ({ submit, hear }) => hear(await submit('long')),
  'succeeded-object': async ({ submit, hear }) => hear(await submit('longer')),
  'succeeded-pipeline': async (world) => {
    const running = await committed(world, 'execution');
    const end = ending(world.engine.settings, world.now(), 'succeeded');
    const result = { inline: '{"tables":1}' };
    return world.write(running, 'succeed', { ...world.fence(running), ...end, result, warnings: 2, stage: 'second' });
  },
  failed: async ({ submit, hear }) => hear(await submit('never')),
  'cancelled-queued': async ({ submit, cancel }) => cancel(refOf(await submit('echo'))),
  'cancelled-running': async ({ submit, claim, cancel, sweepAt }) =>
    sweepAt(await cancel(refOf(await claim(await submit('echo')))), minutes(2)),
  dropped: async ({ submit, hear, waitUntil, at }) => {
    const queued = await submit('echo', { startBy: at(1000) });
    await waitUntil(2000);
    return hear(queued);
  },
  'dead-exhausted': async ({ submit, hear, waitUntil, now, at }) => {
    let row = await submit('fails');
    for (let attempt = 1; attempt <= 3; attempt++) {
      row = await hear(row);
      await waitUntil(now() - at(0) + minutes(1));
    }
    return row;
  },
  'dead-buried': async ({ submit, claim, sweepAt }) => {
    let row = await submit('echo');
    for (let crash = 1; crash <= 3; crash++) row = await sweepAt(await claim(row), minutes(2) * crash);
    return row;
  },
  'dead-entombed': async ({ submit, write, now, engine }) => {
    const queued = await submit('echo');
    const error = { code: 'TENANT_DELETED', detail: 'The tenant is gone.', retriable: false };
    return write(queued, 'entomb', { version: queued.version, ...ending(engine.settings, now(), 'dead'), error });
  },
};

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));
const folder = new URL(`../test/fixtures/rows/${version}/`, import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, make] of Object.entries(rows)) {
  const row = await make(aWorld());
  if (!name.startsWith(row.status) && name !== 'dropped') throw new Error(`${name} came out ${row.status}`);
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(row, null, 2)}\n`);
}
