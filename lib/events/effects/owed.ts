// A job that ended and owes another one: it is made at once, and not only when the sweep comes. The row is read first, since a change may be
// told again after its debt was paid and what was made has been forgotten: from the change alone it would be made twice.
import { payOwed } from '../../job/waits/owed.ts';
import { refOf } from '../../job/row.ts';
import { isTerminal } from '../../job/status.ts';
import type { EffectEngine, RelayEffect } from '../effect.ts';

export const owedEffect = (engine: EffectEngine): RelayEffect => ({
  name: 'owed',
  keyOf: ({ after }) => (after?.owes !== undefined && isTerminal(after.status) ? after.id : undefined),
  apply: async ({ after }) => {
    const row = after && (await engine.store.get(refOf(after)));
    if (row !== undefined && row.owes === after?.owes) await payOwed(engine, row);
  },
});
