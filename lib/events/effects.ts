// Every effect that follows from a change, for whoever runs the relay: a file each in effects/.
import type { EffectEngine, RelayEffect } from './effect.ts';
import { deadGroupsEffect } from './effects/dead-groups.ts';

export const createEffects = (engine: EffectEngine): readonly RelayEffect[] => [deadGroupsEffect(engine)];
