import { describe, expect, it } from 'vitest';
import { type JobId, type Scope, type WorkspaceId } from '../../lib/core/ids.ts';
import { days, type DurationMs, later, minutes, seconds } from '../../lib/core/time.ts';
import { createApp } from '../../lib/http/app.ts';
import { scopes } from '../../lib/http/keys.ts';
import { makeKey } from '../../lib/http/make-key.ts';
import { dropAt, inboxKey } from '../../lib/ingest/inbox/place.ts';
import { submitDrop } from '../../lib/ingest/inbox/submit-drop.ts';
import { advance } from '../../lib/job/schedule/advance.ts';
import { scheduleRef } from '../../lib/job/schedule/schedule.ts';
import { sweep } from '../../lib/job/sweep/reaper.ts';
import { submitJob } from '../../lib/job/submit/submit.ts';
import { startIngestApp } from '../support/ingest-app.ts';
import { scope } from '../support/pipeline-world.ts';

type Json = ReturnType<typeof JSON.parse>;
const beside: Scope = { ...scope, workspace: 'main2' as WorkspaceId };

async function aWorkspace() {
  const app = await startIngestApp();
  const dataset = await app.dataset('d');
  await app.upload(dataset, 'orders.csv', 'id,person\n1,Ada Winterbourne\n2,Bo Lindqvist\n');
  const table = (await app.tables(dataset))['orders'].id as string;
  const path = `/v1/datasets/${dataset}/tables/${table}`;
  await app.send('PUT', `${path}/annotation?column=person`, { json: { description: 'Who ordered.' } });
  await app.settle();
  const status = async (id: JobId) => (await app.store.get({ ...scope, id }))?.status;
  const pass = async (by: DurationMs) => {
    await app.clock.advance(by);
    const report = await sweep(app.engine);
    await app.settle();
    return report;
  };
  const remove = () => app.send('DELETE', '/v1/workspace');
  const purge = async (json: object) => {
    const { status: answered, body, headers } = await app.send('POST', '/v1/workspace/purge', { json });
    expect([answered, body.kind]).toEqual([202, expect.stringContaining('workspace')]);
    await app.settle();
    return (await app.send('GET', headers.get('location') ?? '')).body;
  };
  return { ...app, dataset, table, path, status, pass, remove, purge };
}

const small = { kind: 'count-storage', input: {} };

describe('a workspace that is deleted', () => {
  it('says 410 of everything but itself, and is as it was once it is restored', async () => {
    await using app = await aWorkspace();
    const before = (await app.tables(app.dataset))['orders'];
    expect((await app.send('GET', '/v1/workspace')).body).toEqual({
      ...{ tenant: 'acme', workspace: 'main', state: 'active', usage: '/v1/usage' },
    });
    const { status, body } = await app.remove();
    expect([status, body.state]).toEqual([200, 'deleted']);
    expect(Date.parse(body.restorableUntil) - Date.parse(body.deletedAt)).toBe(days(30));
    expect((await app.remove()).body).toEqual(body);
    for (const [method, at] of [
      ...[
        ['GET', app.path],
        ['GET', '/v1/jobs'],
        ['POST', '/v1/jobs'],
        ['GET', '/v1/usage'],
        ['GET', '/v1/search'],
      ],
      ...[
        ['POST', '/v1/datasets'],
        ['DELETE', `/v1/datasets/${app.dataset}`],
        ['GET', '/v1/orphans'],
      ],
    ] as [string, string][])
      expect((await app.send(method, at)).body.code, at).toBe('GONE');
    expect((await app.send('GET', '/v1/health')).status).toBe(200);

    expect((await app.send('POST', '/v1/workspace/restore')).body.state).toBe('active');
    expect((await app.tables(app.dataset))['orders']).toEqual(before);
    expect((await app.query(app.dataset, 'SELECT count(*) FROM orders')).body.rows).toEqual([[2]]);
    expect((await app.send('POST', '/v1/workspace/restore')).body.code).toBe('CONFLICT');
    expect(await app.upload(app.dataset, 'more.csv', 'a\n1\n')).toMatchObject({ status: 'succeeded' });
  });

  it('is learnt of within 30 seconds where its key was just seen', async () => {
    await using app = await aWorkspace();
    const key = await makeKey(app.deps, { ...scope, name: 'elsewhere' });
    const elsewhere = createApp(app.deps);
    const ask = async () =>
      (await elsewhere.request('/v1/jobs', { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await ask()).toBe(200);
    await app.remove();
    expect(await ask()).toBe(200);
    await app.clock.advance(seconds(30));
    expect(await ask()).toBe(410);
  });

  it('has its jobs cancelled: those that wait at once, those that run as they hear of it, and they stay cancelled', async () => {
    await using app = await aWorkspace();
    const soon = { ...small, scope, notBefore: later(app.clock.now(), days(3)), correlationId: 'test' };
    const waits = (await submitJob(app.engine, soon)).row.id;
    const { body } = await app.sendFile(app.dataset, 'b.csv', 'a\n1\n');
    const bell = await app.claim();
    app.bells.splice(0);
    await app.remove();
    await app.settle();
    expect(await app.status(waits)).toBe('cancelled');
    expect(await app.store.get({ ...scope, id: body.id })).toMatchObject({
      ...{ status: 'running', cancelRequested: 'The workspace is deleted.' },
    });
    await app.execute(bell);
    expect(await app.status(body.id)).toBe('cancelled');
    await app.send('POST', '/v1/workspace/restore');
    await app.settle();
    expect([await app.status(waits), await app.status(body.id)]).toEqual(['cancelled', 'cancelled']);
  });

  it('gets nothing published, and no file', async () => {
    await using app = await aWorkspace();
    const { body } = await app.sendFile(app.dataset, 'orders.csv', 'id\n9\n');
    const bell = await app.claim();
    app.bells.splice(0);
    const { at, until } = { at: app.clock.now(), until: app.clock.now() };
    expect(await app.store.deleteWorkspace(scope, { at, until })).toBe('deleted');
    await app.execute(bell);
    expect(await app.store.get({ ...scope, id: body.id })).toMatchObject({ status: 'failed', error: { code: 'GONE' } });
    const [file] = (await app.store.listFiles(scope, app.dataset as never, { limit: 1 })).items;
    await expect(app.store.putFile({ ...file!, id: 'file_x' as never })).rejects.toMatchObject({ code: 'GONE' });
    await expect(makeKey(app.deps, { ...scope, name: 'late' })).rejects.toMatchObject({ code: 'GONE' });
    await app.store.restoreWorkspace(scope, { at });
    expect((await app.query(app.dataset, 'SELECT count(*) FROM orders')).body.rows).toEqual([[2]]);
  });

  it('has what slips in ended by the late look, or by the sweep', async () => {
    await using app = await aWorkspace();
    await app.remove();
    await app.settle();
    const slip = async (name: string) => {
      const { row } = await submitJob(app.engine, { ...small, scope, correlationId: name });
      app.bells.splice(0);
      return row.id;
    };
    const first = await slip('first');
    await app.pass(minutes(1));
    expect(await app.status(first)).toBe('cancelled');
    const second = await slip('second');
    await app.clock.advance(minutes(1));
    await app.settle();
    expect(await app.status(second)).toBe('cancelled');
  });

  it('runs no schedule, whose runs come again when it is restored', async () => {
    await using app = await aWorkspace();
    expect((await app.send('PUT', '/v1/schedules/hourly', { json: { ...small, every: 3600 } })).status).toBe(201);
    const ref = scheduleRef(scope, 'hourly');
    await app.remove();
    await app.settle();
    expect((await app.pass(minutes(59))).steps).toMatchObject({ rest: 1 });
    expect(await advance(app.engine, ref)).toBe(0);
    // It is looked at again and again, and never stays due.
    for (let looks = 0; looks < 4; looks++) {
      expect((await app.pass(minutes(11))).steps).toMatchObject({ rest: 1 });
      expect((await sweep(app.engine)).rows).toBe(0);
    }
    expect(await advance(app.engine, ref)).toBe(0);
    await app.send('POST', '/v1/workspace/restore');
    expect((await app.pass(minutes(10))).steps).toMatchObject({ tick: 1 });
    expect(await advance(app.engine, ref)).toBe(1);
  });

  it('takes no drop', async () => {
    await using app = await aWorkspace();
    await app.remove();
    const key = inboxKey(scope, 'd/late.csv');
    await app.objects.putOnce(key, 'a\n1\n');
    const drop = dropAt(key)!;
    expect(await submitDrop(app.engine, drop, {})).toBeUndefined();
    await app.send('POST', '/v1/workspace/restore');
    expect(await submitDrop(app.engine, drop, {})).toMatchObject({ created: true });
  });
});

/** What the stores hold of a workspace: its rows as they are, and its objects. */
async function contents(app: Awaited<ReturnType<typeof aWorkspace>>, of: Scope) {
  const rows: Json[] = [];
  let after: string | undefined;
  do {
    const page = await app.store.rowsOfWorkspace(of, after);
    rows.push(...page.rows);
    after = page.after;
  } while (after !== undefined);
  const keys = app.objects.keys().filter((key) => key.includes(`${of.tenant}/${of.workspace}/`));
  const objects = await Promise.all(keys.map(async (key) => [key, String(await app.objects.get(key))]));
  return { rows, objects };
}

describe('a purge of a workspace', () => {
  it('needs a deletion and its name, counts what there is, and leaves nothing but its mark', async () => {
    await using app = await aWorkspace();
    await app.objects.putOnce(inboxKey(scope, 'd/dropped.csv'), 'a\n1\n');
    await app.send('PUT', '/v1/schedules/hourly', { json: { ...small, every: 3600 } });
    const refusal = async (json: object) => (await app.send('POST', '/v1/workspace/purge', { json })).body.code;
    expect(await refusal({ confirm: 'main' })).toBe('CONFLICT');
    const { result: dry } = await app.purge({ dryRun: true });
    expect(dry).toMatchObject({ dryRun: true, purged: false, datasets: 1, tables: 1, files: 1, keys: 1 });
    expect(dry.objects).toBe((await contents(app, scope)).objects.length);
    expect(dry.jobs).toBe((await app.store.list(scope, {}, { limit: 100 })).items.length);
    await app.remove();
    await app.settle();
    expect(await refusal({})).toBe('VALIDATION_FAILED');
    expect(await refusal({ confirm: 'acme' })).toBe('VALIDATION_FAILED');

    const { status, result } = await app.purge({ confirm: 'main' });
    expect([status, result]).toEqual(['succeeded', { ...dry, dryRun: false, purged: true }]);
    expect((await app.send('GET', '/v1/workspace')).body.state).toBe('purging');
    expect((await app.send('POST', '/v1/workspace/restore')).body.code).toBe('GONE');
    for (let looks = 0; looks < 3; looks++) await app.pass(minutes(12));
    expect((await app.send('GET', '/v1/workspace')).status).toBe(401);
    expect(await app.store.workspaceEnd(scope)).toMatchObject({ purgedAt: expect.any(Number) });
    expect(await contents(app, scope)).toMatchObject({ rows: [{ kind: 'usage' }], objects: [] });
    expect(await app.store.getUsage(scope)).toMatchObject({ bytes: 0, fileBytes: 0, tableBytes: 0 });
    await expect(makeKey(app.deps, { ...scope, name: 'again' })).rejects.toMatchObject({ code: 'GONE' });
  });

  it('touches nothing of another workspace, be its name the beginning of the other one, or like a part of a key', async () => {
    await using app = await aWorkspace();
    const key = await makeKey(app.deps, { ...beside, name: 'beside' });
    const made = await app.send('POST', '/v1/datasets', {
      ...{ json: { name: 'd' }, headers: { authorization: `Bearer ${key}` } },
    });
    expect(made.status).toBe(201);
    await app.objects.putOnce(`acme/main2/datasets/${made.body.id}/files/x/source`, 'a');
    await app.objects.putOnce('inbox/acme/main2/d/x.csv', 'b');
    const waits = await submitJob(app.engine, {
      ...{ ...small, scope: beside, notBefore: later(app.clock.now(), days(3)), correlationId: 'test' },
    });
    await app.settle();
    const before = await contents(app, beside);
    expect([before.rows.length > 3, before.objects.length]).toEqual([true, 2]);
    await app.remove();
    const answer = await app.purge({ confirm: 'main' });
    await app.pass(minutes(12));
    expect(await contents(app, beside)).toEqual(before);
    expect(await app.store.get({ ...beside, id: waits.row.id })).toEqual(waits.row);
    const other = await makeKey(app.deps, { ...beside, name: 'beside', scopes });
    const asked = { headers: { authorization: `Bearer ${other}` } };
    expect((await app.send('GET', `/v1/workspace/purges/${answer.id}`, asked)).body.code).toBe('NOT_FOUND');
  });

  it('comes by itself after 30 days, and not where it was restored', async () => {
    await using app = await aWorkspace();
    await app.remove();
    await app.send('POST', '/v1/workspace/restore');
    await app.pass(days(1));
    await app.remove();
    await app.pass(days(29));
    for (let looks = 0; looks < 3; looks++) await app.pass(minutes(2));
    expect((await app.send('GET', '/v1/workspace')).body.state).toBe('deleted');
    for (let looks = 0; looks < 3; looks++) await app.pass(days(1));
    expect(await app.store.workspaceEnd(scope)).toMatchObject({ purgedAt: expect.any(Number) });
    expect((await contents(app, scope)).rows).toMatchObject([{ kind: 'usage' }]);
  });

  it('ends the jobs that run, and comes back for what their claimants wrote too late', async () => {
    await using app = await aWorkspace();
    await app.sendFile(app.dataset, 'orders.csv', 'id\n9\n');
    const bell = await app.claim();
    app.bells.splice(0);
    await app.step(bell, 'receive+parse');
    await app.remove();
    await app.purge({ confirm: 'main' });
    expect(await app.store.get(bell.ref)).toBeUndefined();
    await app.store.drawSequence(scope, app.dataset as never, app.table as never, 'late', app.clock.now());
    await app.objects.putOnce(`acme/main/datasets/${app.dataset}/tables/late`, 'late');
    await app.pass(minutes(12));
    expect((await app.send('GET', '/v1/workspace')).status).toBe(401);
    expect((await app.store.workspaceEnd(scope))?.purgedAt).toBeUndefined();
    await app.pass(minutes(12));
    expect(await app.store.workspaceEnd(scope)).toMatchObject({ purgedAt: expect.any(Number) });
    expect(await contents(app, scope)).toMatchObject({ rows: [{ kind: 'usage' }], objects: [] });
  });
});
