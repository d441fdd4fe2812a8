import { describe, expect, it } from 'vitest';
import type { DatasetId, TableId } from '../../../../../lib/core/ids.ts';
import { minutes } from '../../../../../lib/core/time.ts';
import { createBudget } from '../../../../../lib/ingest/describe/ledger.ts';
import { tableEntries } from '../../../../../lib/ingest/search/entries.ts';
import { openPointer, openVectorPointer } from '../../../../../lib/ingest/search/pointer.ts';
import { embedIndex } from '../../../../../lib/ingest/search/vectors/embed-index.ts';
import { createPipelineWorld, scope } from '../../../../support/pipeline-world.ts';
import { indexOf } from '../../../../support/search-index.ts';
import { embedderOf, standInEmbeddings } from '../../../../support/stand-in-embeddings.ts';

const place = {
  dataset: 'ds_00000000000000000000000001' as unknown as DatasetId,
  table: 'tbl_00000000000000000000000001' as unknown as TableId,
  manifest: 'm',
};

/** A workspace whose index has one table of so many columns. */
async function worldOf(columns: number, cents = { run: 50, month: 1000 }) {
  const world = createPipelineWorld([]);
  const { store, objects, clock } = world;
  const embeddings = standInEmbeddings({ batch: 50 });
  const embedder = embedderOf(embeddings, cents);
  const parts = { documents: store, objects, clock };
  const pointers = openPointer(parts);
  const vectors = openVectorPointer(parts);
  let runs = 0;
  const put = async (count: number) => {
    const table = tableEntries({
      ...{ ...place, name: 'wide' },
      columns: Array.from({ length: count }, (_, at) => ({ name: `column ${at}`, type: 'BIGINT' })),
    });
    const key = `acme/main/search/job/${count}/index.ndjson`;
    await objects.putOnce(key, indexOf(table).lines.bytes);
    await pointers.move(scope, await pointers.read(scope), { key, tables: 1, entries: count + 1, leftOut: 0 });
  };
  await put(columns);
  return {
    ...{ world, embeddings, vectors, put },
    run: (asking = minutes(5)) => {
      runs += 1;
      const budget = createBudget({ ...parts, scope, limits: embedder.limits, attempt: String(runs) });
      return embedIndex({ ...parts, embedder, budget }, { scope, prefix: `acme/main/search/job/${runs}`, asking });
    },
    objects: () => [...objects.keys()].filter((key) => key.endsWith('.bin')),
    [Symbol.dispose]: () => world[Symbol.dispose](),
  };
}

describe('embedding an index', () => {
  it('writes a version a round, so that a run that dies loses no more than that', async () => {
    using workspace = await worldOf(2500);
    const { vectors } = workspace;
    const { putOnce } = workspace.world.objects;
    workspace.world.objects.putOnce = async (key, body) => {
      if (key.endsWith('vectors-3.bin')) throw new Error('killed');
      return putOnce(key, body);
    };
    await expect(workspace.run()).rejects.toThrow('killed');
    expect((await vectors.read(scope))?.body).toMatchObject({ count: 2000, complete: false });
    workspace.world.objects.putOnce = putOnce;
    expect(await workspace.run()).toEqual({ embedded: 501, left: 0 });
    expect((await vectors.read(scope))?.body).toMatchObject({ count: 2501, complete: true });
  });

  it('keeps what was paid for where another moves the vectors meanwhile', async () => {
    using workspace = await worldOf(10);
    const { putDocument } = workspace.world.store;
    let moves = 2;
    workspace.world.store.putDocument = async (ref, ...more) =>
      ref.name === 'vectors' && moves-- > 0 ? 'moved' : putDocument(ref, ...more);
    expect(await workspace.run()).toEqual({ embedded: 11, left: 0 });
    expect(workspace.embeddings.asked).toHaveLength(1);
    expect(workspace.objects()).toHaveLength(1);
  });

  it('takes out the vectors of texts that are gone, and asks for nothing then', async () => {
    using workspace = await worldOf(10);
    await workspace.run();
    await workspace.put(8);
    // The table's text names its columns: one is asked for.
    expect(await workspace.run()).toEqual({ embedded: 1, left: 0 });
    expect((await workspace.vectors.read(scope))?.body.count).toBe(9);
    expect(await workspace.run()).toEqual({ embedded: 0, left: 0 });
  });

  it('embeds as much as a small budget pays for', async () => {
    // A token is a microcent here; a text may cost 30 of them, and then costs 10.
    using workspace = await worldOf(400, { run: 1, month: 0.003 });
    const { embedded, left, why } = await workspace.run();
    expect(why).toBe('month');
    expect(embedded).toBeGreaterThan(100);
    expect(embedded + left).toBe(401);
    expect((await workspace.vectors.read(scope))?.body).toMatchObject({ count: embedded, complete: false });
  });

  it('stops in time, and says what is left', async () => {
    using workspace = await worldOf(2500);
    const { embed } = workspace.embeddings;
    Object.assign(workspace.embeddings, {
      embed: async (question: Parameters<typeof embed>[0]) => {
        await workspace.world.clock.advance(minutes(1));
        return embed(question);
      },
    });
    const { embedded, left, why } = await workspace.run(minutes(5));
    expect(why).toBe('time');
    expect(embedded).toBeLessThan(600);
    expect(embedded + left).toBe(2501);
    expect((await workspace.vectors.read(scope))?.body.count).toBe(embedded);
  });

  it('takes an answer of other vectors than it asked for as a refusal', async () => {
    using workspace = await worldOf(3);
    Object.assign(workspace.embeddings, { embed: async () => ({ vectors: [[1, 2]], tokens: 1 }) });
    expect(await workspace.run()).toMatchObject({ embedded: 0, left: 4, why: 'refused', failure: 'TypeError' });
    expect(workspace.objects()).toEqual([]);
  });

  it('makes vectors anew that cannot be read', async () => {
    using workspace = await worldOf(3);
    await workspace.run();
    for (const key of workspace.objects()) await workspace.world.objects.delete(key);
    await workspace.put(4);
    expect(await workspace.run()).toEqual({ embedded: 5, left: 0 });
  });
});
