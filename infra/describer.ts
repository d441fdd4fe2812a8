// The model that describes tables, as the stage function is told of it.
import type { DescriberConfig } from '../lib/config/describer.ts';
import { priceOf, pricesAsOf } from '../lib/ingest/describe/prices.ts';
import type { Settings } from './settings.ts';

/** Null where none is configured. Throws an Error for a model whose price nobody says. */
export function describerOf(settings: Settings): DescriberConfig | null {
  const { describeModel: model, describeRegion: region, describeRunCents, describeMonthCents } = settings;
  if (model === undefined) return null;
  const { describeInputCents: input, describeOutputCents: output } = settings;
  const prices = input === undefined || output === undefined ? undefined : { input, output };
  if (prices === undefined && priceOf(model) === undefined)
    throw new Error(
      `The price list of ${pricesAsOf} has no model ${model}; name describeInputCents and describeOutputCents.`,
    );
  const where = { ...(region !== undefined && { region }), ...(prices !== undefined && { prices }) };
  return { model, runCents: describeRunCents, monthCents: describeMonthCents, ...where };
}
