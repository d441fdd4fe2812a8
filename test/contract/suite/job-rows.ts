// What every job store does with single rows: each write is one condition, and a refusal carries the row.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobRef } from '../../../lib/core/ids.ts';
import { epochMs, type EpochSeconds } from '../../../lib/core/time.ts';
import type { JobStore } from '../../../lib/job/ports.ts';
import { type JobRow, refOf } from '../../../lib/job/row.ts';
import { jobRules } from '../../../lib/job/rules.ts';
import { isOwnWork } from '../../../lib/rule/decide.ts';
import { aClaimOf, aRef, aRunning, aSettle, aSubmit, aWriteId, now } from '../support/jobs.ts';
import type { StoreHarness } from '../support/store-harness.ts';

export function jobRowsSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`job rows in ${name}`, () => {
    let harness: StoreHarness;
    let store: JobStore;
    beforeAll(async () => {
      harness = await open();
      store = harness.store;
    });
    afterAll(() => harness.close());

    const submitted = async (ref: JobRef = aRef()): Promise<JobRow> => {
      const { row, params } = aSubmit(ref);
      const answer = await store.submit(row, params);
      if (answer.kind === 'refused') throw new Error('refused');
      return answer.row;
    };

    it('reads a submitted row as it was answered', async () => {
      const row = await submitted();
      expect(row).toMatchObject({ status: 'queued', rule: 'submit', epoch: now, version: now + 1 });
      expect(await store.get(refOf(row))).toEqual(row);
    });

    it('knows no row where none was submitted', async () => {
      expect(await store.get(aRef())).toBeUndefined();
    });

    it('keeps the rows of tenants and workspaces apart, whatever their names', async () => {
      const row = await submitted();
      const neighbours = [
        { ...refOf(row), tenant: 'acme#main' as JobRef['tenant'], workspace: 'job' as JobRef['workspace'] },
        { ...refOf(row), workspace: 'other' as JobRef['workspace'] },
        { ...refOf(row), tenant: 'acm%65' as JobRef['tenant'] },
      ];
      for (const ref of neighbours) expect(await store.get(ref)).toBeUndefined();
    });

    it('refuses a second submit and shows the row, in which the first knows its own work', async () => {
      const { row, params } = aSubmit();
      await store.submit(row, params);
      const again = await store.submit(row, params);
      expect(again).toMatchObject({ kind: 'refused', found: { id: row.id, submitId: params.submitId } });
      if (again.kind === 'applied') throw new Error('applied twice');
      const write = { name: 'submit', rule: jobRules.submit, params };
      expect(isOwnWork(write, again.found)).toBe(true);
      expect(isOwnWork({ ...write, params: { ...params, submitId: aWriteId() } }, again.found)).toBe(false);
    });

    it('lets one of 50 claims side by side win, and shows its row to the others', async () => {
      const row = await submitted();
      const claims = Array.from({ length: 50 }, () => aClaimOf(row));
      const answers = await Promise.all(claims.map((params) => store.write(refOf(row), 'claim', params)));
      const won = answers.filter((answer) => answer.kind === 'applied');
      expect(won).toHaveLength(1);
      const owner = won[0]?.row.leaseOwner;
      const found = answers.filter((answer) => answer.kind === 'refused').map((answer) => answer.found);
      expect(found.map((each) => [each?.status, each?.leaseOwner, each?.epoch])).toEqual(
        Array.from({ length: 49 }, () => ['running', owner, row.epoch + 1]),
      );
      const again = claims.map((params) => isOwnWork({ name: 'claim', rule: jobRules.claim, params }, found[0]));
      expect(again.filter(Boolean)).toHaveLength(1);
    });

    it('refuses a write on a row that is not there, and shows none', async () => {
      const answer = await store.write(aRef(), 'succeed', aSettle(aRunning()));
      expect(answer).toEqual({ kind: 'refused', found: undefined });
    });

    it('refuses a fenced write of an earlier epoch and changes nothing', async () => {
      const row = aRunning();
      await harness.putRow(row);
      const zombie = { ...aSettle(row), epoch: (row.epoch - 1) as typeof row.epoch };
      expect(await store.write(refOf(row), 'succeed', zombie)).toEqual({ kind: 'refused', found: row });
      expect(await store.get(refOf(row))).toEqual(row);
    });

    it('refuses where no way that a rule leaves open can hold, and shows the row', async () => {
      const row = aRunning({ crashes: 2, heldBy: 'execution' });
      await harness.putRow(row);
      const error = { code: 'CRASHED', detail: 'gone', retriable: true };
      const answer = await store.write(refOf(row), 'bury', { writeId: aWriteId(), now, error });
      expect(answer).toEqual({ kind: 'refused', found: row });
    });

    it('replaces a row that has expired and is not removed yet, with a later epoch only', async () => {
      const { row, params } = aSubmit();
      const expired = aRunning({ ...row, status: 'succeeded', expiresAt: params.nowSeconds, finishedAt: now });
      await harness.putRow({ ...expired, epoch: params.epoch });
      expect(await store.submit(row, params)).toMatchObject({ kind: 'refused', found: { status: 'succeeded' } });
      await harness.putRow({ ...expired, epoch: (params.epoch - 1) as typeof params.epoch });
      expect(await store.submit(row, params)).toMatchObject({ kind: 'applied' });
      const found = await store.get(refOf(expired));
      expect(found).toMatchObject({ status: 'queued', epoch: params.epoch });
      expect(found).not.toHaveProperty('expiresAt');
      expect(found).not.toHaveProperty('leaseOwner');
    });

    it('refuses an item over 400 KB before it is sent', async () => {
      const { row, params } = aSubmit(aRef(), now, { input: { inline: 'x'.repeat(400 * 1024) } });
      await expect(store.submit(row, params)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
      const running = aRunning();
      await harness.putRow(running);
      const settle = { ...aSettle(running), result: { inline: 'é'.repeat(200 * 1024) } };
      await expect(store.write(refOf(running), 'succeed', settle)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
      expect(await store.get(refOf(running))).toEqual(running);
      await expect(store.putPayload(refOf(running), 'big', 'x'.repeat(400 * 1024))).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
      });
    });

    it('keeps the first payload of a name', async () => {
      const ref = aRef();
      await store.putPayload(ref, 'input', '{"first":"é"}');
      await store.putPayload(ref, 'input', '{"second":1}', 2_000_000_000 as EpochSeconds);
      expect(await store.getPayload(ref, 'input')).toBe('{"first":"é"}');
      expect(await store.getPayload(ref, 'result')).toBeUndefined();
    });

    it('removes a payload of one name and job, and takes one that is gone as removed', async () => {
      const [ref, other] = [aRef(), aRef()];
      for (const name of ['input', 'inputs']) await store.putPayload(ref, name, '1');
      await store.putPayload(other, 'input', '2');
      for (let times = 0; times < 2; times++) await store.dropPayload(ref, 'input');
      expect(await store.getPayload(ref, 'input')).toBeUndefined();
      expect([await store.getPayload(ref, 'inputs'), await store.getPayload(other, 'input')]).toEqual(['1', '2']);
      await store.putPayload(ref, 'input', '3');
      expect(await store.getPayload(ref, 'input')).toBe('3');
    });

    it('numbers the events of a life, puts each once and reads them in order by page', async () => {
      const job = { ...aRef(), createdAt: now };
      const event = (version: number, createdAt = now) => ({
        tenant: job.tenant,
        workspace: job.workspace,
        jobId: job.id,
        createdAt,
        version,
        rule: 'claim',
        status: 'running' as const,
        epoch: (now + 1) as JobRow['epoch'],
        at: now,
      });
      expect(await store.putEvents([12, 9, 12, 10].map((version) => event(version)))).toEqual([
        'written',
        'written',
        'exists',
        'written',
      ]);
      expect(await store.putEvents([event(11), { ...event(10), rule: 'other' }])).toEqual(['written', 'exists']);
      await store.putEvents([event(13, epochMs(now - 1))]);
      expect(await store.putEvents([])).toEqual([]);
      const first = await store.events(job, { limit: 2 });
      expect(first.items).toEqual([event(9), event(10)]);
      const rest = await store.events(job, { limit: 2, cursor: first.cursor });
      expect(rest).toEqual({ items: [event(11), event(12)] });
      expect((await store.events(job, { limit: 9, afterVersion: 10 })).items).toEqual([event(11), event(12)]);
    });
  });
}
