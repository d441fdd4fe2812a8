// What settings say of a model of Amazon Bedrock, whatever it is asked for.
import * as z from 'zod';

/** The id of a model or of an inference profile, e.g. `eu.amazon.nova-lite-v1:0`. */
export const modelId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.:-]{0,127}$/, 'It is no id of a model or an inference profile.');

export const modelRegion = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'It is no region.');

export const cents = z.number().min(0).max(1_000_000);

/** `eu.amazon.nova-lite-v1:0` is an inference profile of `amazon.nova-lite-v1:0`. */
export const modelOfProfile = (id: string): string =>
  id.replace(/^(?:apac|au|ca|eu|global|jp|us|us-gov)\.(?=[a-z0-9-]+\.)/, '');
