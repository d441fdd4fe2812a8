// How tables are described by a language model of Amazon Bedrock; off where nothing says so.
import * as z from 'zod';

const cents = z.number().min(0).max(1_000_000);

export const describerSchema = z.strictObject({
  /** The id of a model or of an inference profile, e.g. `eu.amazon.nova-lite-v1:0`. */
  model: z.string().regex(/^[a-z0-9][a-z0-9.:-]{0,127}$/, 'It is no id of a model or an inference profile.'),
  /** The region whose endpoint is asked; that of the function where left out. */
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'It is no region.')
    .optional(),
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
