// The one right that a function needs to ask a model of Amazon Bedrock: to call that model and no other.
import { Stack } from 'aws-cdk-lib';
import { modelOfProfile } from '../lib/config/bedrock-model.ts';
import { acknowledgeWildcards } from './acknowledge.ts';
import type { ServiceFunction } from './service-function.ts';

interface NamedModel {
  /** The id of a model or of an inference profile. */
  readonly model: string;
  /** That of the stack where left out. */
  readonly region?: string | undefined;
}

/** Nothing for none. A profile passes a question on to its model in one of several regions; each is asked for the right. */
export function allowModel(user: ServiceFunction, named: NamedModel | null): void {
  if (named === null) return;
  const { model, region } = named;
  const stack = Stack.of(user);
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
