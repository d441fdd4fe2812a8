// Whether a single value may be shown by itself, whatever its column is.
import { toIso } from '../../core/time.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { policyOf } from '../policy.ts';
import { received } from './outputs.ts';

type IsPersonal = (value: string, type: string) => boolean;

/** No value is personal where the policy only warns, or does not look. */
export async function personalBy(ctx: StageContext): Promise<IsPersonal> {
  const { pii, stages } = policyOf((await ctx.outputOf(received)).policy);
  if (pii.action === 'warn' || stages.pii === 'off') return () => false;
  const { builtInDetectors } = await import('../pii/detectors.ts');
  const { isPersonal } = await import('../pii/decide.ts');
  const detectors = builtInDetectors({ countries: pii.countries, today: toIso(ctx.clock.now()).slice(0, 10) });
  return (value, type) => isPersonal(value, type, detectors);
}
