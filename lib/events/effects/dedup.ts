// The row of a dedup key is kept for as long as the job that had it last.
import { forgetKey } from '../../job/submit/dedup.ts';
import { isTerminal } from '../../job/status.ts';
import type { EffectEngine, RelayEffect } from '../effect.ts';

export const dedupEffect = (engine: EffectEngine): RelayEffect => ({
  name: 'dedup-key',
  keyOf: ({ after }) =>
    after !== undefined && isTerminal(after.status) && after.dedupKey !== undefined ? after.id : undefined,
  apply: async ({ after }) => {
    if (after !== undefined) await forgetKey(engine, after);
  },
});
