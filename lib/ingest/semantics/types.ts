// What a column means, beyond how its values are stored: one of 49 types, with how that was found.
import * as z from 'zod';

export const semanticTypes = [
  // Texts
  'text',
  'name',
  'description',
  'tag',
  'enum',
  'language_code',
  // What tells things apart
  'identifier',
  'code',
  'tax_id',
  'iban',
  'version',
  // Numbers
  'integer',
  'count',
  'decimal',
  'score',
  'ratio',
  'percentage',
  'rate',
  // Money: `amount` where no column of the table says the currency, `currency` where one does
  'amount',
  'currency',
  'currency_code',
  // Times
  'date',
  'datetime',
  'time',
  'year',
  'quarter',
  'month',
  'week',
  'duration',
  'timezone',
  // Truth
  'boolean',
  'flag',
  // Reaching somebody or something
  'email',
  'phone',
  'url',
  'image_url',
  'file_path',
  // Places
  'address',
  'city',
  'state',
  'postal_code',
  'country',
  'country_code',
  'region',
  'industry_sector',
  'geo_coordinate',
  // The rest
  'ip_address',
  'json',
  'unknown',
] as const;

export type SemanticType = (typeof semanticTypes)[number];

/** As manifests keep it. */
export const semanticSchema = z.lazy(() =>
  z.strictObject({
    type: z.enum(semanticTypes),
    by: z
      .enum(['name', 'values', 'name and values', 'type', 'model'])
      .meta({ description: 'What the type was taken from; `type`: from how the values are stored alone.' }),
    share: z.number().optional().meta({ description: 'Of the values looked at: how many fit, from 0 to 1.' }),
    sampled: z.int().optional().meta({ description: 'How many values were looked at.' }),
  }),
);
export type Semantic = z.infer<typeof semanticSchema>;
/** Types whose values are about a person or may be: they are shown to no model. */
export const personalTypes: ReadonlySet<SemanticType> = new Set<SemanticType>([
  'address',
  'email',
  'iban',
  'ip_address',
  'name',
  'phone',
  'tax_id',
]);
