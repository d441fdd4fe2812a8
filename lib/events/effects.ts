// Every effect that follows from a change, for whoever runs the relay: a file each in effects/.
import type { EffectEngine, PayloadEngine, RelayEffect } from './effect.ts';
import { childEndedEffect, childrenCancelledEffect } from './effects/children.ts';
import { deadGroupsEffect } from './effects/dead-groups.ts';
import { dedupEffect } from './effects/dedup.ts';
import { owedEffect } from './effects/owed.ts';
import { payloadsEffect } from './effects/payloads.ts';
import { placesEffect } from './effects/places.ts';

export const createEffects = (engine: EffectEngine & PayloadEngine): readonly RelayEffect[] => [
  owedEffect(engine),
  childEndedEffect(engine),
  childrenCancelledEffect(engine),
  deadGroupsEffect(engine),
  dedupEffect(engine),
  placesEffect(engine),
  payloadsEffect(engine),
];
