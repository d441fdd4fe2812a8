import { describe, expect, it } from 'vitest';
import { lateExecutions, lateObjects } from '../../../functions/support/late.ts';
import type { Executions } from '../../../lib/job/ports.ts';
import { createMemoryObjects } from '../../support/memory-objects.ts';

describe('a port that is opened late', () => {
  it('is opened by its first call, once, however many come at the same time', async () => {
    let opened = 0;
    const objects = lateObjects(async () => {
      opened += 1;
      return createMemoryObjects();
    });
    expect(opened).toBe(0);
    const [put, found] = await Promise.all([objects.putOnce('a/b/c', 'text'), objects.head('a/b/d')]);
    expect([put, found]).toEqual(['written', undefined]);
    expect(await objects.head('a/b/c')).toMatchObject({ key: 'a/b/c', size: 4 });
    expect(opened).toBe(1);
  });

  it('tells whoever calls why it cannot be opened', async () => {
    const executions = lateExecutions(async (): Promise<Executions> => {
      throw new TypeError('no client');
    });
    await expect(executions.probe({} as never, 'ingest')).rejects.toThrow('no client');
  });
});
