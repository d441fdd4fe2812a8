// What the caller says about a file that its bytes do not say, or say wrongly. An option is followed, never weighed against the evidence.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import { encodingNames } from './formats/encoding/encodings.ts';
import { dateOrders } from './typing/day-months.ts';

const MAX_HEADER_ROW = 1000;

/** `encoding` is of every text format, the others of CSV and TSV. */
export const readOptionsSchema = z
  .lazy(() =>
    z.strictObject({
      encoding: z.enum(encodingNames).optional().meta({ description: 'Of the text; found by itself when absent.' }),
      delimiter: z
        .string()
        .regex(
          /^[\t!#-/:-@[-`{-~]$/,
          'It is a tab or one ASCII character that is no letter, digit, space or double quote.',
        )
        .optional()
        .meta({ description: 'What stands between fields; found by itself when absent.' }),
      quote: z.enum(['"', 'none']).optional().meta({ description: '`none`: quotes are ordinary characters.' }),
      headerRow: z.int().min(0).max(MAX_HEADER_ROW).optional().meta({
        description:
          'The row of the header, from 1, blank rows counted; rows above it are left out. 0: there is none, and columns are named after their place.',
      }),
      nullWords: z
        .array(z.string().min(1).max(100))
        .min(1)
        .max(20)
        .optional()
        .meta({ description: 'Unquoted fields that are one of these are NULL, beside empty ones.' }),
      dateOrder: z.enum(dateOrders).optional().meta({
        description: 'Of dates whose day and month stand before the year; decided by all values when absent.',
      }),
      types: z
        .record(z.string().min(1).max(1000), z.enum(['VARCHAR']))
        .optional()
        .meta({ description: 'Columns that stay text, by name, each with the type VARCHAR.' }),
    }),
  )
  .meta({ id: 'ReadOptions' });
export type ReadOptions = z.infer<typeof readOptionsSchema>;

/** Throws the Fault OPTION_MISFIT where an option says nothing about files of this format. */
export function requireFitting(format: string, options: ReadOptions): void {
  if (format === 'csv' || format === 'tsv') return;
  const { encoding, ...others } = options;
  const ofText = ['parquet', 'arrow', 'avro'].includes(format) ? { encoding } : {};
  const [misfit] = Object.entries({ ...ofText, ...others }).find(([, value]) => value !== undefined) ?? [];
  if (misfit === undefined) return;
  const fits = misfit === 'encoding' ? 'text' : 'CSV and TSV';
  throw new Fault('OPTION_MISFIT', `The option ${misfit} is of ${fits}; the file is ${format}.`, {
    extra: { option: misfit, format },
  });
}
