// Publishing as the settle: the job, its snapshots and the pointers of their tables move together or not at all.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { derivedId, type DatasetId } from '../../../lib/core/ids.ts';
import type { Catalog } from '../../../lib/ingest/catalog.ts';
import { type JobStore, MAX_PUBLICATIONS, type Publication } from '../../../lib/job/ports.ts';
import { type JobRow, refOf } from '../../../lib/job/row.ts';
import { jobRules } from '../../../lib/job/rules.ts';
import { isOwnWork } from '../../../lib/rule/decide.ts';
import { aRunning, aSettle, now, scope } from '../support/jobs.ts';
import type { StoreHarness } from '../support/store-harness.ts';

const dataset: DatasetId = derivedId('ds', 'publishing');

export function publishSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`publishing in ${name}`, () => {
    let harness: StoreHarness;
    let store: JobStore & Catalog;
    beforeAll(async () => {
      harness = await open();
      store = harness.store;
    });
    afterAll(() => harness.close());

    const aJob = async (): Promise<JobRow> => {
      const row = aRunning();
      await harness.putRow(row);
      return row;
    };

    /** What receiving a file leaves: the table with its counter, and a PARTIAL snapshot. */
    const received = async (job: JobRow, tableName: string): Promise<Publication> => {
      const table = derivedId('tbl', tableName);
      const sequence = await store.drawSequence(scope, dataset, table, tableName, now);
      const snapshot = derivedId('snap', job.id, tableName);
      const manifest = `${job.id}/${tableName}.json`;
      const counts = { rowCount: 1, columnCount: 1, createdAt: now };
      const row = { ...scope, dataset, table, id: snapshot, sequence, job: job.id, ...counts };
      await store.putSnapshot({ ...row, status: 'PARTIAL' });
      return { dataset, table, snapshot, sequence, manifest };
    };

    const stateOf = async ({ table, snapshot }: Publication) => ({
      current: (await store.getTable(scope, dataset, table))?.current?.snapshot,
      status: (await store.getSnapshot(scope, dataset, table, snapshot))?.status,
    });

    it('settles the job and makes every table visible at once', async () => {
      const job = await aJob();
      const [one, two] = [await received(job, 'both-1'), await received(job, 'both-2')];
      expect(await stateOf(one)).toEqual({ current: undefined, status: 'PARTIAL' });
      const params = { ...aSettle(job), result: { inline: '{"tables":2}' } };
      const answer = await store.publish(refOf(job), params, [one, two]);
      expect(answer).toMatchObject({
        kind: 'applied',
        superseded: [],
        row: { status: 'succeeded', result: params.result },
      });
      for (const each of [one, two]) expect(await stateOf(each)).toEqual({ current: each.snapshot, status: 'READY' });
      expect((await store.getTable(scope, dataset, one.table))?.current).toEqual({
        snapshot: one.snapshot,
        sequence: one.sequence,
        manifest: one.manifest,
      });
      const stored = await store.get(refOf(job));
      expect(stored).toEqual(answer.kind === 'applied' ? answer.row : undefined);
      expect(stored).not.toHaveProperty('dueAt');
    });

    it('counts the bytes that it stores, or publishes nothing where they are too many', async () => {
      const [first, second] = [await aJob(), await aJob()];
      const [one, two] = [await received(first, 'counted-1'), await received(second, 'counted-2')];
      const { tableBytes: before } = await store.getUsage(scope);
      const most = before + 100;
      const answer = await store.publish(refOf(first), aSettle(first), [one], undefined, { bytes: 60, most });
      expect(answer.kind).toBe('applied');
      const refused = store.publish(refOf(second), aSettle(second), [two], undefined, { bytes: 60, most });
      await expect(refused).rejects.toMatchObject({ code: 'STORAGE_QUOTA_EXCEEDED' });
      expect(await stateOf(two)).toEqual({ current: undefined, status: 'PARTIAL' });
      expect((await store.get(refOf(second)))?.status).toBe('running');
      expect((await store.getUsage(scope)).tableBytes).toBe(before + 60);
      // A settle that is sent again counts nothing again.
      const again = await store.publish(refOf(first), aSettle(first), [one], undefined, { bytes: 60, most });
      expect(again.kind).toBe('refused');
      expect((await store.getUsage(scope)).tableBytes).toBe(before + 60);
    });

    it('supersedes a snapshot where a newer one is published, and moves the pointers of the other tables', async () => {
      const [older, newer] = [await aJob(), await aJob()];
      const [late, alone] = [await received(older, 'raced'), await received(older, 'alone')];
      const winner = await received(newer, 'raced');
      await store.publish(refOf(newer), aSettle(newer), [winner]);
      const answer = await store.publish(refOf(older), aSettle(older), [late, alone]);
      expect(answer).toMatchObject({ kind: 'applied', superseded: [late.snapshot], row: { status: 'succeeded' } });
      expect(await stateOf(late)).toEqual({ current: winner.snapshot, status: 'SUPERSEDED' });
      expect(await stateOf(alone)).toEqual({ current: alone.snapshot, status: 'READY' });
    });

    it('gives each snapshot its manifest, and the job the result that tells what was superseded', async () => {
      const [older, newer] = [await aJob(), await aJob()];
      const late = await received(older, 'told');
      const winner = await received(newer, 'told');
      const resultFor = async (superseded: readonly string[]) => ({ inline: JSON.stringify(superseded) });
      const settleOf = (job: JobRow) => ({ ...aSettle(job), result: { inline: '[]' } });
      const first = await store.publish(refOf(newer), settleOf(newer), [winner], resultFor);
      const second = await store.publish(refOf(older), settleOf(older), [late], resultFor);
      expect(first).toMatchObject({ row: { result: { inline: '[]' } } });
      expect(second).toMatchObject({ row: { result: { inline: JSON.stringify([late.snapshot]) } } });
      for (const { table, snapshot, manifest } of [late, winner])
        expect(await store.getSnapshot(scope, dataset, table, snapshot)).toMatchObject({ manifest });
    });

    it('lets a published snapshot be told by another manifest, while it is told by the one that was read', async () => {
      const job = await aJob();
      const one = await received(job, 'retold');
      await store.publish(refOf(job), aSettle(job), [one]);
      const table = (await store.getTable(scope, dataset, one.table))!;
      const from = table.current!;
      expect(await store.replaceManifest(table, { from, manifest: 'second.json' })).toBe('replaced');
      expect(await store.replaceManifest(table, { from, manifest: 'third.json' })).toBe('moved');
      const told = { snapshot: one.snapshot, sequence: one.sequence, manifest: 'second.json' };
      expect((await store.getTable(scope, dataset, one.table))?.current).toEqual(told);
      const snapshot = await store.getSnapshot(scope, dataset, one.table, one.snapshot);
      expect(snapshot).toMatchObject({ manifest: 'second.json', status: 'READY' });
      expect(await store.drawSequence(scope, dataset, one.table, 'retold', now)).toBe(one.sequence + 1);
      expect((await store.getTable(scope, dataset, one.table))?.current).toEqual(told);
    });

    it('publishes what was added to a snapshot only while that is the published one', async () => {
      const [first, second, third] = [await aJob(), await aJob(), await aJob()];
      const [one, two, late] = [
        await received(first, 'added'),
        await received(second, 'added'),
        await received(third, 'added'),
      ];
      const none = { base: { snapshot: undefined } };
      await store.publish(refOf(first), aSettle(first), [{ ...one, ...none }]);
      const on = { base: { snapshot: one.snapshot } };
      await store.publish(refOf(second), aSettle(second), [{ ...two, ...on }]);
      expect(await stateOf(two)).toEqual({ current: two.snapshot, status: 'READY' });
      for (const moved of [on, none])
        await expect(store.publish(refOf(third), aSettle(third), [{ ...late, ...moved }])).rejects.toMatchObject({
          code: 'BASE_MOVED',
        });
      expect(await stateOf(late)).toEqual({ current: two.snapshot, status: 'PARTIAL' });
      expect((await store.get(refOf(third)))?.status).toBe('running');
      const again = await store.publish(refOf(second), aSettle(second), [{ ...two, ...on }]);
      expect(again.kind).toBe('refused');
    });

    it('lets a table stay what it was first published as: uploaded, or derived of the snapshots that it names', async () => {
      const [first, second, third, fourth] = [await aJob(), await aJob(), await aJob(), await aJob()];
      const [file, made] = [await received(first, 'from a file'), await received(second, 'by SQL')];
      const sources = [{ table: file.table, snapshot: file.snapshot, sequence: file.sequence }];
      await store.publish(refOf(first), aSettle(first), [file]);
      await store.publish(refOf(second), aSettle(second), [{ ...made, sources }]);
      const { snapshot, sequence, manifest } = made;
      const current = { snapshot, sequence, manifest, sources };
      expect((await store.getTable(scope, dataset, made.table))?.current).toEqual(current);
      for (const [late, code] of [
        [await received(third, 'by SQL'), 'TABLE_DERIVED'],
        [{ ...(await received(third, 'from a file')), sources }, 'TABLE_UPLOADED'],
        [{ ...(await received(fourth, 'from a file')), sources, base: { snapshot: file.snapshot } }, 'TABLE_UPLOADED'],
      ] as const)
        await expect(store.publish(refOf(third), aSettle(third), [late])).rejects.toMatchObject({ code });
      expect((await store.get(refOf(third)))?.status).toBe('running');
      expect(await stateOf(made)).toEqual({ current: made.snapshot, status: 'READY' });
      const next = { ...(await received(fourth, 'by SQL')), sources: [] };
      await store.publish(refOf(fourth), aSettle(fourth), [next]);
      const table = (await store.getTable(scope, dataset, made.table))!;
      expect(table.current?.sources).toEqual([]);
      expect(await store.replaceManifest(table, { from: table.current!, manifest: 'told.json' })).toBe('replaced');
      expect((await store.getTable(scope, dataset, made.table))?.current).toMatchObject({
        manifest: 'told.json',
        sources: [],
      });
    });

    it('publishes nothing for a zombie, and shows it the row', async () => {
      const job = await aJob();
      const publication = await received(job, 'zombie');
      const zombie = { ...aSettle(job), epoch: (job.epoch - 1) as JobRow['epoch'] };
      expect(await store.publish(refOf(job), zombie, [publication])).toEqual({ kind: 'refused', found: job });
      expect(await stateOf(publication)).toEqual({ current: undefined, status: 'PARTIAL' });
      expect(await store.get(refOf(job))).toEqual(job);
    });

    it('publishes once: the second time the job’s row is its own work', async () => {
      const job = await aJob();
      const publication = await received(job, 'once');
      const params = aSettle(job);
      await store.publish(refOf(job), params, [publication]);
      const again = await store.publish(refOf(job), params, [publication]);
      if (again.kind === 'applied') throw new Error('published twice');
      expect(isOwnWork({ name: 'succeed', rule: jobRules.succeed, params }, again.found)).toBe(true);
      expect(await stateOf(publication)).toEqual({ current: publication.snapshot, status: 'READY' });
    });

    it('leaves the newest snapshot published when jobs publish one table side by side', async () => {
      const jobs = await Promise.all(Array.from({ length: 6 }, aJob));
      const publications: Publication[] = [];
      for (const job of jobs) publications.push(await received(job, 'busy'));
      const answers = await Promise.all(
        jobs.map((job, index) => store.publish(refOf(job), aSettle(job), [publications[index]!])),
      );
      expect(answers.map(({ kind }) => kind)).toEqual(jobs.map(() => 'applied'));
      const newest = publications.at(-1)!;
      expect(await stateOf(newest)).toEqual({ current: newest.snapshot, status: 'READY' });
    });

    it('changes nothing when a snapshot is another job’s, or its table is missing', async () => {
      const [job, other] = [await aJob(), await aJob()];
      const [mine, theirs] = [await received(job, 'mine'), await received(other, 'theirs')];
      const nowhere = { ...mine, table: derivedId('tbl', 'nowhere') };
      for (const wrong of [[mine, theirs], [nowhere]]) {
        await expect(store.publish(refOf(job), aSettle(job), wrong)).rejects.toMatchObject({ code: 'INTERNAL' });
        expect(await store.get(refOf(job))).toEqual(job);
        expect(await stateOf(mine)).toEqual({ current: undefined, status: 'PARTIAL' });
      }
    });

    it('publishes as many tables as a job may have, and not one more', async () => {
      const job = await aJob();
      const names = Array.from({ length: MAX_PUBLICATIONS }, (_, index) => `many-${index}`);
      const publications = await Promise.all(names.map((each) => received(job, each)));
      const one = { ...publications[0]!, table: derivedId('tbl', 'one more') };
      await expect(store.publish(refOf(job), aSettle(job), [...publications, one])).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
      });
      const answer = await store.publish(refOf(job), aSettle(job), publications);
      expect(answer).toMatchObject({ kind: 'applied', superseded: [] });
    });
  });
}
