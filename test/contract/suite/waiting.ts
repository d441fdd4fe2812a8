// The side rows of signals and children, by the rules that write them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SideFamily, SideRef } from '../../../lib/job/side/side.ts';
import type { StoreHarness } from '../support/store-harness.ts';
import { aWriteId, now, scope } from '../support/jobs.ts';

export function waitingSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`signals and children in ${name}`, () => {
    let harness: StoreHarness;
    let group = 0;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());
    const aSide = (family: SideFamily, given: Partial<SideRef> = {}): SideRef => ({
      ...scope,
      family,
      group: `waiting ${(group += 1)}`,
      name: 'go',
      ...given,
    });
    const expiresAt = 2_000_000_000 as never;
    const kindOf = ({ kind }: { readonly kind: string }) => kind;
    const tell = (side: SideRef, payload: string, life = 0) =>
      harness.store.writeSide(side, 'signal', { fields: { payload, expiresAt }, now, life });
    /** A rule that writes nothing stands in a transaction, beside what it is a condition of. */
    const check = (side: SideRef, rule: 'is-unsaid' | 'fewer-ended', params: object) =>
      harness.store.transact([{ side, rule, params }], aWriteId());
    const timeOut = (side: SideRef, life = 0) => harness.store.writeSide(side, 'time-out', { life, now, expiresAt });

    it('a signal is told once, and shows who was first', async () => {
      const side = aSide('signal');
      expect(kindOf(await tell(side, 'a'))).toBe('applied');
      expect(await tell(side, 'b')).toMatchObject({ kind: 'refused', found: { payload: 'a' } });
      expect(await timeOut(side)).toMatchObject({ kind: 'refused', found: { payload: 'a' } });
      expect(kindOf(await check(side, 'is-unsaid', { life: 0 }))).toBe('refused');
    });

    it('a wait that timed out hears no signal in that life, and one in the next', async () => {
      const side = aSide('signal');
      expect(kindOf(await check(side, 'is-unsaid', { life: 0 }))).toBe('applied');
      expect(kindOf(await timeOut(side))).toBe('applied');
      expect(await tell(side, 'late')).toMatchObject({ kind: 'refused', found: { timedOut: 0 } });
      expect(kindOf(await check(side, 'is-unsaid', { life: 1 }))).toBe('applied');
      expect(kindOf(await timeOut(side, 1))).toBe('applied');
      expect(await tell(side, 'again', 2)).toMatchObject({ kind: 'applied', row: { payload: 'again' } });
      expect(await harness.store.getSide(side)).not.toHaveProperty('timedOut');
    });

    it("a child's end is noted and counted once", async () => {
      const child = aSide('children', { name: 'job_1' });
      const counter = { ...child, name: 'ended' };
      await harness.store.writeSide(child, 'create', { fields: { kind: 'echo', life: 0 }, now });
      const ended = (status: string) =>
        harness.store.transact(
          [
            { side: child, rule: 'child-ended', params: { fields: { status } } },
            { side: counter, rule: 'count-ended', params: { expiresAt } },
          ],
          aWriteId(),
        );
      const fewer = (limit: number) => check(counter, 'fewer-ended', { limit });
      expect(kindOf(await fewer(1))).toBe('applied');
      expect(kindOf(await ended('dead'))).toBe('applied');
      expect(await ended('succeeded')).toMatchObject({
        kind: 'refused',
        refusals: [{ found: { status: 'dead' } }, undefined],
      });
      expect(await harness.store.getSide(counter)).toMatchObject({ ended: 1 });
      expect(kindOf(await fewer(1))).toBe('refused');
      expect(kindOf(await fewer(2))).toBe('applied');
    });

    it('a child that was not announced is not counted', async () => {
      const child = aSide('children', { name: 'job_1' });
      const counter = { ...child, name: 'ended' };
      const writes = [
        { side: child, rule: 'child-ended', params: { fields: { status: 'dead' } } },
        { side: counter, rule: 'count-ended', params: { expiresAt } },
      ] as const;
      expect(kindOf(await harness.store.transact(writes, aWriteId()))).toBe('refused');
      expect(await harness.store.getSide(counter)).toBeUndefined();
    });
  });
}
