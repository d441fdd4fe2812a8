import { describe, expect, it } from 'vitest';
import { derivedId, type DatasetId, type TableId } from '../../lib/core/ids.ts';
import type { Deletable, Deletion } from '../../lib/ingest/deletion/ports.ts';
import { purge } from '../../lib/ingest/deletion/purge.ts';
import { type PurgeDeps, purgeRun } from '../../lib/ingest/deletion/run.ts';
import type { JobContext } from '../../lib/job/registry.ts';
import { dyingPorts } from '../support/dying.ts';
import { startIngestApp } from '../support/ingest-app.ts';
import { scope } from '../support/pipeline-world.ts';

type App = Awaited<ReturnType<typeof startIngestApp>>;

async function aDeleted(whole: boolean) {
  const app = await startIngestApp();
  const dataset = (await app.dataset('d')) as unknown as DatasetId;
  await app.upload(dataset, 'orders.csv', 'id,person\n1,Ada\n2,Bo\n');
  await app.upload(dataset, 'orders.csv', 'id,person\n3,Cy\n');
  const table = (await app.tables(dataset))['orders'].id as TableId;
  const path = `/v1/datasets/${dataset}/tables/${table}`;
  await app.send('PUT', `${path}/annotation?column=person`, { json: { description: 'Who.' } });
  await app.settle();
  await app.send('DELETE', whole ? `/v1/datasets/${dataset}` : path);
  await app.settle();
  const thing: Deletable = { ...scope, dataset, ...(!whole && { table }) };
  const deletion = (await app.store.standingOf(thing))?.deletion as Deletion;
  const close = () => app[Symbol.asyncDispose]();
  return { app, dataset, table, path, thing, deletion, [Symbol.asyncDispose]: close };
}

const job = derivedId('job', 'purge');

/** What a job keeps of its steps over its runs; `alive` answers for the claim. */
function aContext(app: App, steps: Map<string, unknown>, alive: () => boolean = () => true): JobContext {
  return {
    ref: { ...scope, id: job },
    epoch: steps.size + 1,
    clock: app.clock,
    signal: new AbortController().signal,
    checkpoint: async () => {
      if (!alive()) throw new Error('the lease is lost');
    },
    step: async (name: string, work: () => Promise<unknown>) => {
      const kept = steps.has(name) ? steps.get(name) : await work();
      steps.set(name, kept);
      return kept;
    },
  } as unknown as JobContext;
}

/** Ports whose call at a place is the last. */
function dying({ store, objects }: App, at: number): PurgeDeps {
  const wrapped = dyingPorts(at);
  return { catalog: wrapped(store), documents: wrapped(store), objects: wrapped(objects), jobs: store };
}

describe('a purge', () => {
  for (const whole of [false, true])
    it(`of a ${whole ? 'dataset' : 'table'} that is killed after each of its steps comes to the same end`, async () => {
      await using made = await aDeleted(whole);
      const { app, dataset, table, thing, deletion } = made;
      const steps = new Map<string, unknown>();
      let kills = 0;
      for (let at = 1; ; at++) {
        const end = await purge(purgeRun(aContext(app, steps), dying(app, at), thing), deletion).catch(
          (thrown: unknown) => thrown,
        );
        if (end instanceof Error) {
          expect(end.message).toBe('killed');
          kills += 1;
          continue;
        }
        expect(end).toMatchObject({ purged: true, tables: 1, snapshots: 2, files: 2 });
        break;
      }
      expect(kills).toBeGreaterThan(12);
      const below = whole ? `/datasets/${dataset}/` : `/tables/${table}/`;
      expect(app.objects.keys().filter((key) => key.includes(below))).toEqual([]);
      expect(await app.store.rowsToPurge(thing)).toEqual([]);
      const { items } = await app.store.listTableRows(scope, dataset, { limit: 10 });
      expect(items).toEqual([{ id: table, lastSequence: 2 }]);
      expect(await app.store.standingOf(thing)).toBeUndefined();
      const said = await app.store.listDocuments({ ...scope, family: 'annotation', group: dataset }, { limit: 10 });
      expect(said.items).toEqual([]);
    });

  it('whose claim was lost while it slept removes nothing of the next life of its table', async () => {
    await using made = await aDeleted(false);
    const { app, dataset, path, thing, deletion } = made;
    const steps = new Map<string, unknown>();
    let alive = true;
    const asleep = Promise.withResolvers<undefined>();
    const woken = Promise.withResolvers<undefined>();
    const { listVersions } = app.objects;
    let listed = 0;
    const objects = {
      ...app.objects,
      listVersions: async (...call: Parameters<typeof listVersions>) => {
        listed += 1;
        // Three count; this is the first of the removal.
        if (listed === 4) {
          asleep.resolve(undefined);
          await woken.promise;
        }
        return listVersions(...call);
      },
    };
    const deps = { catalog: app.store, documents: app.store, objects, jobs: app.store };
    const zombie = purge(
      purgeRun(
        aContext(app, steps, () => alive),
        deps,
        thing,
      ),
      deletion,
    ).catch((thrown: unknown) => thrown);
    await asleep.promise;
    const whole = { ...deps, objects: app.objects };
    expect(await purge(purgeRun(aContext(app, steps), whole, thing), deletion)).toMatchObject({ purged: true });
    expect((await app.upload(dataset, 'orders.csv', 'id\n100\n')).status).toBe('succeeded');
    alive = false;
    woken.resolve(undefined);
    expect(await zombie).toMatchObject({ message: 'the lease is lost' });
    expect((await app.query(dataset, 'SELECT * FROM orders')).body.rows).toEqual([[100]]);
    expect((await app.send('GET', `${path}/snapshots`)).body.data).toHaveLength(1);
  });

  it('is left alone while another job is at it, and is taken over from one that has ended', async () => {
    await using made = await aDeleted(false);
    const { app, path, thing, deletion } = made;
    const standing = await app.store.standingOf(thing);
    const other = (await app.submit({ dataset: thing.dataset, table: thing.table }, 'purge')).id;
    expect(await app.store.holdForPurge(thing, { ...standing, name: 'orders' }, other)).toBe('held');
    expect((await app.send('POST', `${path}/restore`)).body.code).toBe('GONE');
    const deps = { catalog: app.store, documents: app.store, objects: app.objects, jobs: app.store };
    const run = () => purge(purgeRun(aContext(app, new Map()), deps, thing), deletion);
    await expect(run()).rejects.toMatchObject({ code: 'CONFLICT' });
    await app.send('POST', `/v1/jobs/${other}/cancel`);
    expect(await run()).toMatchObject({ purged: true });
  });
});
