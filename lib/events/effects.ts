// Every effect that follows from a change, for whoever runs the relay: a file each in effects/.
import type { RelayEffect } from './effect.ts';
import type { Engine } from '../job/engine.ts';

/** What effects may use; the relay has no handlers, and reads no objects. */
export type EffectEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;

export const createEffects = (_engine: EffectEngine): readonly RelayEffect[] => [];
