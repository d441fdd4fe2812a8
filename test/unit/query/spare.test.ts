import type { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { createSpare } from '../../../lib/query/spare.ts';

/** Engines with a number each, in the order of opening; the first `failing` do not open. */
function opening(failing = 0) {
  let opened = 0;
  const open = async (): Promise<DuckDBInstance> => {
    opened += 1;
    if (opened <= failing) throw new Error(`engine ${opened} does not open`);
    return { engine: opened } as unknown as DuckDBInstance;
  };
  return { open, opened: () => opened };
}

it('is opened before it is taken, once', async () => {
  const { open, opened } = opening();
  const spare = createSpare(open);
  spare.prepare();
  spare.prepare();
  expect(opened()).toBe(1);
  expect(await spare.take()).toEqual({ engine: 1 });
  expect(opened()).toBe(1);
});

it('nobody gets an engine that another has had', async () => {
  const spare = createSpare(opening().open);
  spare.prepare();
  expect(await Promise.all([spare.take(), spare.take()])).toEqual(
    expect.arrayContaining([{ engine: 1 }, { engine: 2 }]),
  );
  spare.prepare();
  expect(await spare.take()).toEqual({ engine: 3 });
});

it('one that did not open is opened again when it is needed, and who takes it hears if it still does not', async () => {
  const once = createSpare(opening(1).open);
  once.prepare();
  expect(await once.take()).toEqual({ engine: 2 });
  const twice = createSpare(opening(2).open);
  twice.prepare();
  await expect(twice.take()).rejects.toThrow('engine 2 does not open');
  expect(await twice.take()).toEqual({ engine: 3 });
});
