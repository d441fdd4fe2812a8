import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { derivedId } from '../../../lib/core/ids.ts';
import { seededChance } from '../../../lib/core/chance.ts';
import { cancelJob } from '../../../lib/job/run/cancel.ts';
import { loadPayload } from '../../../lib/job/payload.ts';
import type { JobStore } from '../../../lib/job/ports.ts';
import { createRegistry, defineJob } from '../../../lib/job/registry.ts';
import { type JobRow, refOf } from '../../../lib/job/row.ts';
import { toJob } from '../../../lib/job/job.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { submitJob } from '../../../lib/job/submit/submit.ts';
import { backoff } from '../../../lib/job/timing.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { aBench } from './bench.ts';

const hello = defineJob({
  kind: 'hello',
  input: z.object({ name: z.string(), list: z.array(z.object({ n: z.number() })).optional() }),
  run: async () => null,
});
const scope = { tenant: aJobRow().tenant, workspace: aJobRow().workspace };
const request = { scope, kind: 'hello', input: { name: 'x' }, correlationId: 'cor_1' };

/** The store, and the names of what was saved beside rows and removed again. */
function watchedPayloads(store: JobStore) {
  const [saved, dropped]: [string[], string[]] = [[], []];
  const watched: JobStore = {
    ...store,
    putPayload: (ref, name, json) => {
      saved.push(name);
      return store.putPayload(ref, name, json);
    },
    dropPayload: (ref, name) => {
      dropped.push(name);
      return store.dropPayload(ref, name);
    },
  };
  return { store: watched, saved, dropped };
}

describe('a submit', () => {
  it('writes one row and rings once', async () => {
    const bench = aBench(hello);
    const { row, created } = await bench.play(submitJob(bench.engine, request));
    expect(created).toBe(true);
    expect(toJob(row)).toMatchObject({ status: 'queued', input: { inline: '{"name":"x"}' }, epoch: row.createdAt });
    expect(row.dueAt).toBe(bench.at(45_000));
    expect(bench.store.changes).toHaveLength(1);
    expect(bench.rings).toMatchObject([{ bell: { epoch: row.epoch }, lane: 'default' }]);
  });

  it('succeeds where the queue is down', async () => {
    const bench = aBench(hello);
    bench.state.ringFails = true;
    expect(await bench.play(submitJob(bench.engine, request))).toMatchObject({ created: true });
  });

  it('of a taken id answers the job that has it', async () => {
    const bench = aBench(hello);
    const id = derivedId('job', 'a');
    const first = await bench.play(submitJob(bench.engine, { ...request, id }));
    const second = await bench.play(submitJob(bench.engine, { ...request, id, input: { name: 'y' } }));
    expect(second).toEqual({ row: first.row, created: false });
    expect(bench.rings).toHaveLength(1);
  });

  it('saves a larger input under a name of its own, and none where the id is taken', async () => {
    const bench = aBench(hello);
    const [id, input] = [derivedId('job', 'a'), { name: 'x'.repeat(1000) }];
    const { store, saved, dropped } = watchedPayloads(bench.store);
    const submit = () => bench.play(submitJob({ ...bench.engine, store }, { ...request, id, input }));
    const { row } = await submit();
    expect(await submit()).toEqual({ row, created: false });
    expect([row.input, dropped]).toMatchObject([{ item: saved[0] }, []]);
    expect(saved).toHaveLength(1);
    expect(await loadPayload(bench.engine, refOf(row), row.input)).toEqual(input);
    bench.put({ ...row, status: 'cancelled', rule: 'cancel', finishedAt: bench.at(1), expiresAt: 1 as never });
    await bench.waitUntil(10);
    const next = await submit();
    expect(next.created).toBe(true);
    expect(saved).toHaveLength(2);
    expect(next.row.input).toMatchObject({ item: saved[1] });
    expect(saved[1]).not.toBe(saved[0]);
  });

  it('takes its input away again where no job came of it, and never that of the job there is', async () => {
    const bench = aBench(hello);
    const { store, dropped } = watchedPayloads(bench.store);
    const asked = { ...request, input: { name: 'x'.repeat(1000) }, dedupKey: 'k' };
    const submit = () => bench.play(submitJob({ ...bench.engine, store }, asked));
    const first = await submit();
    const second = await submit();
    expect(second).toMatchObject({ created: false, duplicate: true, row: { id: first.row.id } });
    expect(dropped).toHaveLength(1);
    expect(first.row.input).not.toMatchObject({ item: dropped[0] });
    expect(await loadPayload(bench.engine, refOf(first.row), first.row.input)).toEqual(asked.input);
  });

  it('names the known kinds, and points at what does not fit', async () => {
    const bench = aBench(hello);
    await expect(bench.play(submitJob(bench.engine, { ...request, kind: 'bye' }))).rejects.toMatchObject({
      code: 'UNKNOWN_KIND',
      detail: 'Known kinds: hello.',
    });
    const bad = submitJob(bench.engine, { ...request, input: { name: 'x', list: [{ n: 'no' }] } });
    await expect(bench.play(bad)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '#/input/list/0/n' }],
    });
    expect(bench.store.changes).toEqual([]);
  });

  it.each([10, 1000, 100_000])('keeps an input of %i characters where it comes back unchanged', async (size) => {
    const bench = aBench(hello);
    const input = { name: 'é'.repeat(size) };
    const { row } = await bench.play(submitJob(bench.engine, { ...request, input }));
    expect(Object.keys(row.input)[0]).toBe(size < 100 ? 'inline' : size < 10_000 ? 'item' : 'object');
    expect(await loadPayload(bench.engine, refOf(row), row.input)).toEqual(input);
  });

  it('takes the budgets of the kind', async () => {
    const bench = aBench({ ...hello, attempts: 7, crashes: 1 });
    const { row } = await bench.play(submitJob(bench.engine, request));
    expect(row).toMatchObject({ maxRetries: 6, maxRevivals: 0 });
  });
});

describe('a payload that is not what was saved', () => {
  it('is refused', async () => {
    const bench = aBench(hello);
    const { row } = await bench.play(submitJob(bench.engine, { ...request, input: { name: 'x'.repeat(1000) } }));
    const tampered = { ...(row.input as { item: string; sha256: string }), sha256: 'other' };
    await expect(loadPayload(bench.engine, refOf(row), tampered)).rejects.toMatchObject({ code: 'INPUT_UNREADABLE' });
  });
});

describe('a cancel', () => {
  const cancelled = async (row: JobRow) => {
    const bench = aBench();
    bench.put(row);
    return bench.play(cancelJob(bench.engine, refOf(row), 'asked'));
  };

  it.each(['queued', 'parked'] as const)('ends a %s job at once', async (status) => {
    expect(await cancelled(aJobRow({ status }))).toMatchObject({ status: 'cancelled', error: { detail: 'asked' } });
  });

  it('asks a running job, once', async () => {
    expect(await cancelled(aJobRow({ status: 'running' }))).toMatchObject({
      status: 'running',
      cancelRequested: 'asked',
    });
    const asked = aJobRow({ status: 'running', cancelRequested: 'before' });
    expect(await cancelled(asked)).toEqual(asked);
  });

  it.each(['succeeded', 'failed', 'dead', 'cancelled'] as const)('leaves a %s job as it is', async (status) => {
    const row = aJobRow({ status });
    expect(await cancelled(row)).toEqual(row);
  });

  it('of no job is a fault', async () => {
    const bench = aBench();
    await expect(bench.play(cancelJob(bench.engine, refOf(aJobRow()), 'asked'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('backoff', () => {
  it('is spread over the whole of a doubling, capped span', () => {
    const chance = seededChance(3);
    for (const [failures, ceiling] of [
      [1, 5000],
      [2, 10_000],
      [7, 300_000],
      [40, 300_000],
    ] as const) {
      const drawn = Array.from({ length: 500 }, () => backoff(engineDefaults, chance, failures));
      expect(Math.max(...drawn)).toBeLessThanOrEqual(ceiling);
      expect(Math.max(...drawn)).toBeGreaterThan(ceiling * 0.9);
      expect(Math.min(...drawn)).toBeLessThan(ceiling * 0.1);
    }
  });
});

describe('a registry', () => {
  it('refuses two kinds of one name', () => {
    expect(() => createRegistry([hello, hello])).toThrow(TypeError);
    expect(createRegistry([hello]).names()).toEqual(['hello']);
  });
});
