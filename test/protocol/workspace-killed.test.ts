import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { derivedId } from '../../lib/core/ids.ts';
import { fileKey } from '../../lib/core/objects.ts';
import { days, later } from '../../lib/core/time.ts';
import { makeKey } from '../../lib/http/make-key.ts';
import { createWorkspaceJobs } from '../../lib/ingest/deletion/workspace/kinds.ts';
import { defineJob, type JobContext, type JobKind } from '../../lib/job/registry.ts';
import { answerOf } from '../../lib/job/run/outcome.ts';
import { followedOf } from '../../lib/job/waits/owed.ts';
import { dyingPorts } from '../support/dying.ts';
import { createPipelineWorld, scope } from '../support/pipeline-world.ts';

/** A workspace with a row of each kind that is counted, deleted. */
async function aDeleted() {
  const kind = defineJob({ kind: 'nothing', input: z.unknown(), run: async () => null });
  const app = createPipelineWorld([kind]);
  const at = app.clock.now();
  const dataset = derivedId('ds', 'd');
  const objectKey = fileKey(scope, dataset, 'f');
  await app.store.createDataset({ ...scope, id: dataset, name: 'd', createdAt: at });
  await app.store.drawSequence(scope, dataset, derivedId('tbl', 't'), 't', at);
  const file = { ...scope, dataset, id: derivedId('file', 'f'), name: 'f', size: 3, objectKey, createdAt: at };
  await app.store.putFile(file);
  await app.objects.putOnce(objectKey, 'a,b');
  await app.objects.putOnce('inbox/acme/main/d/f.csv', 'a');
  await makeKey({ ...app.engine, keys: app.store }, { ...scope, name: 'key' });
  await app.submit({}, 'nothing');
  await app.store.deleteWorkspace(scope, { at, until: later(at, days(30)) });
  return { ...app, at };
}
type App = Awaited<ReturnType<typeof aDeleted>>;

const job = derivedId('job', 'purge');

/** What a job keeps of its place over its runs. */
const aContext = (app: App, kept: { cursor?: unknown }, alive: () => boolean = () => true) =>
  ({
    ref: { ...scope, id: job },
    clock: app.clock,
    signal: new AbortController().signal,
    cursor: kept.cursor,
    progress: () => undefined,
    checkpoint: async (cursor: unknown) => {
      if (!alive()) throw new Error('the lease is lost');
      kept.cursor = JSON.parse(JSON.stringify(cursor)) as unknown;
    },
  }) as unknown as JobContext;

const runOf = (kind: string, parts: Pick<App, 'store' | 'objects' | 'engine'>): JobKind['run'] =>
  createWorkspaceJobs({
    ...{ catalog: parts.store, objects: parts.objects },
    engine: () => ({ ...parts.engine, store: parts.store }),
  }).find((each) => each.kind === kind)!.run;
const purgeWith = (parts: Pick<App, 'store' | 'objects' | 'engine'>) => runOf('system.purge-workspace', parts);

describe('a purge of a workspace', () => {
  it('that is killed at any of its calls comes to the same end, and counts each thing once', async () => {
    let kills = 0;
    for (const look of [0, 1])
      for (let call = 1; ; call++) {
        using app = await aDeleted();
        const run = (kept: object, dying = dyingPorts(0)) => {
          const context = aContext(app, kept);
          const { checkpoint } = dying(context);
          const parts = { store: dying(app.store), objects: dying(app.objects), engine: app.engine };
          return purgeWith(parts)({ ...context, checkpoint }, { ...scope, at: app.at, look });
        };
        const kept = {};
        const killed = await run(kept, dyingPorts(call)).then(
          () => false,
          (thrown: unknown) => (thrown as Error).message === 'killed',
        );
        if (!killed) break;
        kills += 1;
        const { result } = followedOf(await run(kept));
        const counts = { datasets: 1, tables: 1, files: 1, jobs: 1, keys: 1, objects: 2, bytes: 4 };
        if (look === 0) expect(result).toEqual({ dryRun: false, purged: true, ...counts });
        const { rows } = await app.store.rowsOfWorkspace(scope);
        expect(rows.map(({ kind }) => kind).toSorted()).toEqual(look === 0 ? ['key', 'usage'] : ['usage']);
        expect(app.objects.keys()).toEqual([]);
        expect(await app.store.workspaceEnd(scope)).toMatchObject({ purgedBy: job });
      }
    expect(kills).toBeGreaterThan(60);
  });

  it('comes back until it finds nothing, and says then that nothing is left', async () => {
    using app = await aDeleted();
    const look = async (number: number) =>
      followedOf(await purgeWith(app)(aContext(app, {}), { ...scope, at: app.at, look: number }));
    expect((await look(0)).next).toMatchObject({ input: { look: 1 } });
    await app.objects.putOnce('inbox/acme/main/d/late.csv', 'a');
    expect(await look(1)).toMatchObject({ result: { removed: 1 }, next: { input: { look: 2 } } });
    expect((await app.store.workspaceEnd(scope))?.purgedAt).toBeUndefined();
    expect(await look(2)).toEqual({ result: { purged: true, removed: 0 } });
    expect((await app.store.workspaceEnd(scope))?.purgedAt).toBe(app.clock.now());
  });

  it('whose claim was lost removes nothing', async () => {
    using app = await aDeleted();
    const { at } = app;
    const before = [await app.store.rowsOfWorkspace(scope), app.objects.keys()];
    const run = purgeWith(app);
    await expect(
      run(
        aContext(app, {}, () => false),
        { ...scope, at },
      ),
    ).rejects.toThrow('the lease is lost');
    expect([await app.store.rowsOfWorkspace(scope), app.objects.keys()]).toEqual(before);
  });

  it('whose claim is lost between a list and its removal leaves what it has listed', async () => {
    for (const [look, pass, left] of [
      ...[
        [0, 3, 'objects'],
        [0, 4, 'rows'],
        [0, 5, 'usage'],
      ],
      ...[
        [1, 1, 'objects'],
        [1, 2, 'rows'],
        [1, 4, 'key'],
      ],
    ] as const) {
      using app = await aDeleted();
      const kept: { cursor?: { pass: number } } = {};
      const context = aContext(app, kept, () => (kept.cursor?.pass ?? 0) < pass);
      await expect(purgeWith(app)(context, { ...scope, at: app.at, look })).rejects.toThrow('the lease is lost');
      const { rows } = await app.store.rowsOfWorkspace(scope);
      const { bytes } = await app.store.getUsage(scope);
      const found = {
        objects: app.objects.keys().length === 2,
        rows: rows.some(({ kind }) => kind === 'dataset'),
        usage: bytes > 0,
        key: (await app.store.keysOfWorkspace(scope)).length > 0,
      };
      expect(found[left], `${left} in look ${look}`).toBe(true);
    }
  });

  it('is left to the job that is at it, and is taken over from one that has ended', async () => {
    using app = await aDeleted();
    const { at } = app;
    const other = await app.submit({ other: true }, 'nothing');
    const system = { ...other, tenant: 'system', workspace: 'system' } as unknown as typeof other;
    const end = (await app.store.workspaceEnd(scope))!;
    expect(await app.store.holdWorkspace(scope, end, other.id)).toBe('held');
    expect(await app.store.holdWorkspace(scope, end, job)).toBe('moved');
    const store = { ...app.store, get: async () => system };
    const before = app.objects.keys();
    await purgeWith({ ...app, store })(aContext(app, {}), { ...scope, at });
    expect(app.objects.keys()).toEqual(before);
    expect(await app.store.workspaceEnd(scope)).toMatchObject({ purgedBy: other.id });
    const ended = { ...app.store, get: async () => ({ ...system, status: 'dead' as const }) };
    await purgeWith({ ...app, store: ended })(aContext(app, {}), { ...scope, at });
    expect(await app.store.workspaceEnd(scope)).toMatchObject({ purgedBy: job });
    expect(app.objects.keys()).toEqual([]);
  });
});

describe('telling the jobs of a workspace to stop', () => {
  it('ends where it was restored meanwhile, and cancels nothing from then on', async () => {
    using app = await aDeleted();
    const list: App['store']['list'] = async (...asked) => {
      const page = await app.store.list(...asked);
      await app.store.restoreWorkspace(scope, app);
      return page;
    };
    const stop = () => runOf('system.stop-jobs', { ...app, store: { ...app.store, list } })(aContext(app, {}), order);
    const order = { ...scope, at: app.at };
    expect(await stop()).toEqual({ stopped: 0 });
    const { items } = await app.store.list(scope, {}, { limit: 10 });
    expect(items.map(({ status }) => status)).toEqual(['queued']);
    expect(answerOf(await stop())).toMatchObject({ kind: 'cancelled' });
    await app.store.deleteWorkspace(scope, { at: app.at, until: app.at });
    expect(await runOf('system.stop-jobs', app)(aContext(app, {}), order)).toEqual({ stopped: 1 });
  });
});
