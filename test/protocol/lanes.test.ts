// Who is served when many wait, on the engine of the embedded mode: its queue, its store and its worker.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { systemChance } from '../../lib/core/chance.ts';
import type { TenantId, WorkspaceId } from '../../lib/core/ids.ts';
import { silentLog } from '../../lib/core/log.ts';
import { minutes, seconds, systemClock } from '../../lib/core/time.ts';
import type { Engine } from '../../lib/job/engine.ts';
import { createWorker } from '../../lib/job/run/worker.ts';
import { createHeartbeats } from '../../lib/job/heartbeat/heartbeat.ts';
import { createRegistry, defineJob } from '../../lib/job/registry.ts';
import type { Lane } from '../../lib/job/row.ts';
import { engineDefaults } from '../../lib/job/settings.ts';
import { submitJob } from '../../lib/job/submit/submit.ts';
import { createEmbeddedQueue } from '../../lib/queue/embedded.ts';
import { createSqliteStore } from '../../lib/store/sqlite/store.ts';
import { createMemoryObjects } from '../../lib/testing/memory-objects.ts';

/** Jobs that tell their name when they start; `until` resolves once a start makes `done` hold. */
function aProcess(settings: Partial<Engine['settings']> = {}) {
  const clock = systemClock;
  const store = createSqliteStore({ path: ':memory:', clock });
  const queue = createEmbeddedQueue({ clock });
  const started: string[] = [];
  const watchers = new Set<() => void>();
  const tell = defineJob({
    kind: 'tell',
    input: z.string(),
    run: async (_ctx, name) => {
      started.push(name);
      for (const watcher of watchers) watcher();
    },
  });
  const engine: Engine = {
    store,
    ringer: queue,
    executions: { start: async () => undefined, probe: async () => 'unknown' },
    objects: createMemoryObjects(),
    registry: createRegistry([tell]),
    heartbeats: createHeartbeats({ store, clock, settings: engineDefaults }),
    clock,
    chance: systemChance,
    settings: { ...engineDefaults, ...settings },
    log: silentLog,
  };
  const worker = createWorker(engine);
  const submit = (name: string, { tenant = 'acme', lane }: { readonly tenant?: string; readonly lane?: Lane } = {}) => {
    const scope = { tenant: tenant as TenantId, workspace: 'main' as WorkspaceId };
    return submitJob(engine, { scope, kind: 'tell', input: name, lane, correlationId: 'cor' });
  };
  const until = (done: () => boolean) =>
    new Promise<void>((resolve) => {
      const watcher = () => {
        if (!done()) return;
        watchers.delete(watcher);
        resolve();
      };
      watchers.add(watcher);
      watcher();
    });
  const consume = () =>
    queue.consume(
      async ({ bell }) => {
        await worker.hear(bell);
        return undefined;
      },
      { concurrency: 4, visibility: minutes(1) },
    );
  return { started, submit, until, consume, close: () => store.close() };
}

const manyOf = async (count: number, submit: (at: number) => Promise<unknown>): Promise<void> => {
  for (let at = 0; at < count; at++) await submit(at);
};

describe('lanes', () => {
  it('start a due job before the 20th bulk job after its submit, with 5,000 of them queued', async () => {
    const { started, submit, until, consume, close } = aProcess();
    await manyOf(5000, (at) => submit(`bulk ${at}`));
    const consumer = consume();
    await until(() => started.length >= 100);
    const before = started.length;
    await submit('stop', { lane: 'due' });
    await until(() => started.includes('stop'));
    expect(started.indexOf('stop') - before).toBeLessThan(20);
    await consumer.stop();
    close();
  }, 60_000);
});

describe('tenants', () => {
  it('do not wait behind the 10,000 jobs of another', async () => {
    const { started, submit, until, consume, close } = aProcess();
    await manyOf(10_000, (at) => submit(`bulk ${at}`, { tenant: 'large' }));
    const consumer = consume();
    await until(() => started.length >= 100);
    const before = started.length;
    await submit('small', { tenant: 'small' });
    await until(() => started.includes('small'));
    expect(started.indexOf('small') - before).toBeLessThan(20);
    await consumer.stop();
    close();
  }, 60_000);

  it('that have a cap run no more than it, and the rest of the workers serve others', async () => {
    const { started, submit, until, consume, close } = aProcess({ tenantCap: 1, recheckAfter: seconds(1) });
    await manyOf(200, (at) => submit(`bulk ${at}`, { tenant: 'large' }));
    await manyOf(5, (at) => submit(`small ${at}`, { tenant: 'small' }));
    const consumer = consume();
    await until(() => started.filter((name) => name.startsWith('small')).length === 5);
    expect(started.filter((name) => name.startsWith('bulk')).length).toBeLessThan(50);
    await consumer.stop();
    close();
  }, 60_000);
});
