// A job that ended and owes another one: it is made at once, and not only when the sweep comes.
import { payOwed } from '../../job/waits/owed.ts';
import { isTerminal } from '../../job/status.ts';
import type { EffectEngine, RelayEffect } from '../effect.ts';

export const owedEffect = (engine: EffectEngine): RelayEffect => ({
  name: 'owed',
  keyOf: ({ after }) => (after?.owes !== undefined && isTerminal(after.status) ? after.id : undefined),
  apply: async ({ after }) => {
    if (after !== undefined) await payOwed(engine, after);
  },
});
