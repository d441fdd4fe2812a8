// Who ends a claim gives its places back after that write; where it died in between, they are given back here.
import { afterClaimOnce } from '../../job/gates/release.ts';
import type { EffectEngine, RelayEffect } from '../effect.ts';

export const placesEffect = (engine: EffectEngine): RelayEffect => ({
  name: 'places',
  keyOf: ({ before, after }) =>
    before?.status === 'running' && after?.status !== 'running' && before.slots !== undefined ? before.id : undefined,
  apply: async ({ before }) => {
    if (before !== undefined) await afterClaimOnce(engine, before);
  },
});
