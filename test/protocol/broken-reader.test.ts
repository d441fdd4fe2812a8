// Without the reading of refused writes, a lost answer costs an attempt or a wait; the simulation must notice.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type * as decideModule from '../../lib/rule/decide.ts';
import { answersOnly } from '../../lib/testing/simulation/faults.ts';
import { explored } from './support/seeds.ts';

const reader = vi.hoisted((): { blindTo: 'nothing' | 'everything' | 'writeId' } => ({ blindTo: 'nothing' }));

vi.mock('../../lib/rule/decide.ts', async (original) => {
  const real = await original<typeof decideModule>();
  const isOwnWork: typeof real.isOwnWork = (write, found) => {
    if (reader.blindTo === 'everything') return false;
    if (reader.blindTo === 'writeId' && JSON.stringify(write.rule.ownedBy).includes('writeId')) return false;
    return real.isOwnWork(write, found);
  };
  return { ...real, isOwnWork };
});

beforeEach(() => {
  reader.blindTo = 'nothing';
});

describe('a reader of refused writes', () => {
  it('finds its own work, and then nothing is noticed', async () => {
    const { broken } = await explored(150, (seed) => ({ seed, faults: answersOnly }));
    expect(broken).toBeUndefined();
  });

  it('that never finds its own work turns the simulation red', async () => {
    reader.blindTo = 'everything';
    const { broken } = await explored(300, (seed) => ({ seed, faults: answersOnly }));
    expect(broken?.violation?.message).toMatch(/live claim|did not|nobody rang/);
  });

  it('that does not look at writeId turns the simulation red', async () => {
    reader.blindTo = 'writeId';
    const { broken } = await explored(600, (seed) => ({ seed, faults: answersOnly }));
    expect(broken?.violation?.message).toMatch(/nobody rang/);
  });
});
