// The model that describes tables: what the stage function is told of it, and the one right that it needs.
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { DescriberConfig } from '../lib/config/describer.ts';
import { modelOfProfile, priceOf, pricesAsOf } from '../lib/ingest/describe/prices.ts';
import { acknowledgeWildcards } from './acknowledge.ts';
import type { ServiceFunction } from './service-function.ts';
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

/** A profile passes a question on to its model in one of several regions; each is asked for the right. */
export function allowModel(user: ServiceFunction, scope: Construct, { model, region }: DescriberConfig): void {
  const stack = Stack.of(scope);
  const own = (resource: string, account: string) =>
    `arn:${stack.partition}:bedrock:${region ?? stack.region}:${account}:${resource}`;
  const behind = modelOfProfile(model);
  if (behind === model) {
    user.allow(['bedrock:InvokeModel'], [own(`foundation-model/${model}`, '')]);
    return;
  }
  const anywhere = `arn:${stack.partition}:bedrock:*::foundation-model/${behind}`;
  user.allow(['bedrock:InvokeModel'], [own(`inference-profile/${model}`, stack.account), anywhere]);
  acknowledgeWildcards(user.role, 'The profile says to which regions a question goes; the model is one.', [anywhere]);
}
