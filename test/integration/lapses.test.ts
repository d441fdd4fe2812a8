// What only time can bring about: leases that lapse and beats that come due. These wait side by side.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { must } from '../../lib/core/check.ts';
import { newId, type WriteId } from '../../lib/core/ids.ts';
import { later, seconds, systemClock } from '../../lib/core/time.ts';
import { systemChance } from '../../lib/core/chance.ts';
import type { Claim } from '../../lib/job/claim.ts';
import type { JobRow } from '../../lib/job/row.ts';
import { engineDefaults } from '../../lib/job/settings.ts';
import { type Cloud, openCloud, output } from './support/cloud.ts';
import { claim, leaseLapsed, ownEngine, submitUnheard } from './support/engine.ts';
import { layFile, publishedTable } from './support/files.ts';
import { sweepNow } from './support/invoke.ts';
import { countOf, ended, inStatus, rowThat, rulesOf, submit } from './support/jobs.ts';
import { killProcessesOf } from './support/processes.ts';
import { waitFor } from './support/wait.ts';
import { hangInParse } from './support/zombie.ts';

const cloud: Cloud = openCloud();
afterAll(() => cloud[Symbol.dispose]());

/**
 * Its worker's process is killed before anything else runs, since the kill hits every process of the function.
 * The job sleeps for longer than a loaded machine takes to see it running and to kill.
 */
let killed: JobRow;
beforeAll(async () => {
  killed = await inStatus(cloud, await submit(cloud, 'diagnostic.sleep', { seconds: 12 }), 'running');
  await killProcessesOf({ functionName: output('WorkerFunctionName'), emulator: inject('cloud').pid });
});

const writeId = (): WriteId => newId('w', systemClock.now(), systemChance);

/** What a claimant that has lost its lease may still try; each must be refused. */
async function lateWrites({ ref, epoch, owner }: Claim, row: JobRow): Promise<string[]> {
  const [now, fence] = [systemClock.now(), { epoch, owner }];
  const answers = [
    await cloud.store.write(ref, 'heartbeat', { ...fence, leaseUntil: later(now, seconds(600)) }),
    await cloud.store.write(ref, 'checkpoint', {
      ...{ ...fence, writeId: writeId(), previousNo: row.cursorNo, cursorNo: row.cursorNo + 1 },
      ...{ heldBy: 'worker', leaseUntil: later(now, seconds(600)), stage: 'zombie' },
    }),
    await cloud.store.write(ref, 'retry', {
      ...{ ...fence, writeId: writeId(), notBefore: now, dueAt: now },
      error: { code: 'HANDLER_FAILED', detail: 'late', retriable: true },
    }),
    await cloud.store.write(ref, 'succeed', { ...fence, writeId: writeId(), now, result: { inline: '"zombie"' } }),
  ];
  return answers.map(({ kind }) => kind);
}
const allRefused = ['refused', 'refused', 'refused', 'refused'];

describe.concurrent('a claim that lapses', () => {
  it('of a worker whose process was killed is reaped, and the job finishes once', { timeout: 240_000 }, async () => {
    const id = killed.id;
    await waitFor('the lease of the killed worker to lapse', () => leaseLapsed(cloud, killed), { seconds: 120 });
    await sweepNow(cloud);
    const row = await ended(cloud, id);
    expect(row).toMatchObject({ status: 'succeeded', crashes: 1, attempts: 0, epoch: killed.epoch + 1 });
    expect(await rulesOf(cloud, row)).toEqual(['submit', 'claim', 'reap', 'claim', 'succeed']);
  });

  it('leaves a zombie whose every write is refused while its successor runs', async () => {
    const engine = ownEngine(cloud, { settings: { ...engineDefaults, lease: seconds(1) } });
    const zombie = await claim(engine, await submitUnheard(engine, 'diagnostic.sleep', { seconds: 8 }));
    await waitFor('the lease of the zombie to lapse', () => leaseLapsed(cloud, zombie.ref));
    await sweepNow(cloud);
    const isTaken = (row: JobRow) => row.status === 'running' && row.epoch > zombie.epoch;
    const running = await rowThat(cloud, zombie.ref.id, 'run by another', isTaken);
    expect(await lateWrites(zombie, running)).toEqual(allRefused);
    expect(await cloud.row(zombie.ref.id)).toMatchObject({ version: running.version, leaseOwner: running.leaseOwner });
    const row = await ended(cloud, zombie.ref.id);
    expect(row).toMatchObject({ status: 'succeeded', crashes: 1, result: { inline: '{"slept":8,"attempt":1}' } });
    expect(await rulesOf(cloud, row)).toEqual(['submit', 'claim', 'reap', 'claim', 'succeed']);
  });

  it('leaves a zombie stage whose late part no row and no manifest names', { timeout: 240_000 }, async () => {
    const file = await layFile(cloud, 'zombie.csv', 'a,b\n1,x\n2,y\n');
    const zombie = await hangInParse(cloud, file);
    const { ref } = zombie.claim;
    await waitFor('the lease of the zombie stage to lapse', () => leaseLapsed(cloud, ref));
    await sweepNow(cloud);
    const row = await ended(cloud, ref.id);
    expect(row).toMatchObject({ status: 'succeeded', crashes: 1 });
    expect(row.epoch).toBeGreaterThan(zombie.claim.epoch);

    expect(await zombie.wake()).toMatch(/^lease_lost/);
    expect(await lateWrites(zombie.claim, row)).toEqual(allRefused);
    const { table, manifest } = await publishedTable(cloud, file.dataset);
    const { snapshot, sequence } = must(table.current, 'a published snapshot');
    const { epoch, owner } = zombie.claim;
    const settle = { epoch, owner, writeId: writeId(), now: systemClock.now() };
    const late = { dataset: table.dataset, table: table.id, snapshot, sequence, manifest: 'late' };
    expect(await cloud.store.publish(ref, settle, [late])).toMatchObject({ kind: 'refused', found: row });

    const prefix = `default/default/datasets/${file.dataset}/tables/${table.id}/${ref.id}`;
    const keys = await cloud.keysUnder(`${prefix}/`);
    expect(keys).toContain(`${prefix}/${epoch}/part-00000.parquet`);
    expect(manifest.parts.map(({ key }) => key)).toEqual([`${prefix}/${row.epoch}/part-00000.parquet`]);
    expect(table.current?.manifest).toBe(`${prefix}/${row.epoch}/manifest.json`);
    expect(await cloud.row(ref.id)).toEqual(row);
    expect(countOf(await rulesOf(cloud, row), 'succeed')).toBe(1);
  });
});

describe.concurrent('a beat or a backoff that comes due', () => {
  it('delivers a cancel to a running job, whose worker then ends it', async () => {
    const id = await submit(cloud, 'diagnostic.sleep', { seconds: 600 });
    await inStatus(cloud, id, 'running');
    const { body } = await cloud.http.post(`/v1/jobs/${id}/cancel`, { json: { reason: 'enough' } });
    expect(body).toMatchObject({ status: 'running', cancelRequested: 'enough' });
    const row = await ended(cloud, id);
    expect(row).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED', detail: 'enough' }, crashes: 0 });
    // By its claimant at the next beat, not by a sweep after the lease.
    expect((row.finishedAt ?? 0) - (row.startedAt ?? 0)).toBeLessThan(engineDefaults.lease);
    expect(await rulesOf(cloud, row)).toEqual(['submit', 'claim', 'request-cancel', 'cancelled']);
  });

  it('starts a job that fails again and again until its attempts are used up', async () => {
    const row = await ended(cloud, await submit(cloud, 'diagnostic.fail', { times: 3 }));
    expect(row).toMatchObject({ status: 'dead', attempts: 3, crashes: 0, error: { retriable: true } });
    const tries = ['claim', 'retry', 'claim', 'retry', 'claim', 'exhaust'];
    expect(await rulesOf(cloud, row)).toEqual(['submit', ...tries]);
  });
});
