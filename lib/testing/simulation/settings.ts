import { minutes, seconds } from '../../core/time.ts';
import { type EngineSettings, engineDefaults } from '../../job/settings.ts';

/** Shorter than in production where that only saves events; the relations between them are the same. */
export const simulatedSettings: EngineSettings = {
  ...engineDefaults,
  backoffCap: seconds(20),
  handOff: minutes(2),
  keepFinished: minutes(40),
  keepDead: minutes(60),
};
