import { minutes, seconds } from '../../core/time.ts';
import { type EngineSettings, engineDefaults } from '../../job/settings.ts';
import type { Draws } from './draws.ts';

/** Shorter than in production where that only saves events; the relations between them are the same. */
export const simulatedSettings: EngineSettings = {
  ...engineDefaults,
  backoffCap: seconds(20),
  handOff: minutes(2),
  keepFinished: minutes(40),
  keepDead: minutes(60),
};

const CAPPED = 0.9;

/** In some runs a tenant's jobs run one or two at a time. */
export function settingsOf(draws: Draws): EngineSettings {
  const drawn = draws.draw('run', 'tenant cap');
  return drawn < CAPPED ? simulatedSettings : { ...simulatedSettings, tenantCap: drawn < 0.95 ? 1 : 2 };
}
