// How tables are described by a language model of Amazon Bedrock; off where nothing says so.
import * as z from 'zod';
import { cents, modelId, modelRegion } from './bedrock-model.ts';

export const describerSchema = z.strictObject({
  model: modelId,
  /** The region whose endpoint is asked; that of the function where left out. */
  region: modelRegion.optional(),
  /** What one job, and one workspace in a month, may cost. */
  runCents: cents,
  monthCents: cents,
  /** Cents for a million tokens, where the price list of the release has none or another one. */
  prices: z.strictObject({ input: cents, output: cents }).optional(),
});
export type DescriberConfig = z.output<typeof describerSchema>;

/** From JSON; undefined for none. Throws an Error in a sentence. */
export function readDescriber(json: string | undefined): DescriberConfig | undefined {
  if (json === undefined || json === '') return undefined;
  const parsed = describerSchema.safeParse(JSON.parse(json));
  if (parsed.success) return parsed.data;
  throw new Error(`DESCRIBER cannot be read: ${z.prettifyError(parsed.error)}`);
}
