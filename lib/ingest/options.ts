// What the caller says about a file that its bytes do not say, or say wrongly. An option is followed, never weighed against the evidence.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import { encodingNames } from './formats/encoding/encodings.ts';
import { isSheet } from './formats/sheet-format.ts';
import { dateOrders } from './typing/day-months.ts';
import { isForcedType, plainTypes } from './typing/forced.ts';
import { thousandsSeparators } from './typing/numbers.ts';

const MAX_HEADER_ROW = 1000;

const sheetName = z.string().min(1).max(255);

/** How numbers are written; made with the schema that has them. */
const ofNumbers = () => ({
  decimal: z.enum(['.', ',']).optional().meta({ description: 'The point of numbers.' }),
  decimalComma: z.boolean().optional().meta({ description: 'The same as `decimal` with a comma.' }),
  thousands: z.enum(thousandsSeparators).optional().meta({ description: 'What may stand between thousands.' }),
  currency: z.boolean().optional().meta({
    description: 'Numbers with the sign of one currency throughout a column are numbers.',
  }),
  percent: z.boolean().optional().meta({ description: 'Numbers with `%` throughout a column are fractions.' }),
});

/** `encoding` is of every text format, `jsonPath` of JSON, `sheet` of workbooks, the others of CSV and TSV, some of them of workbooks as well. */
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
      sheet: z
        .union([sheetName, z.array(sheetName).min(1).max(45)])
        .optional()
        .meta({ description: 'Of a workbook, the sheets that are read, by name; all of them when absent.' }),
      types: z
        .record(
          z.string().min(1).max(1000),
          z.string().refine(isForcedType, `It is ${plainTypes.join(', ')} or DECIMAL(p,s).`),
        )
        .optional()
        .meta({ description: `Columns by name, each with its type: ${plainTypes.join(', ')} or DECIMAL(p,s).` }),
      onMisfit: z.enum(['refuse', 'null']).optional().meta({
        description:
          'What becomes of a value that does not fit the type that `types` gives its column; refused when absent.',
      }),
      ...ofNumbers(),
      jsonPath: z.string().min(1).max(1000).optional().meta({
        description:
          'Of JSON: where the array is that is the table, as a JSON pointer (`/data/rows`) or with points (`data.rows`).',
      }),
    }),
  )
  .meta({ id: 'ReadOptions' });
export type ReadOptions = z.infer<typeof readOptionsSchema>;

const ofSheets = ['sheet', 'headerRow', 'nullWords', 'dateOrder', 'types', 'onMisfit'] as const;
const ofJson = ['jsonPath'] as const;
const ofText = ['encoding'] as const;
const ofDelimited = [
  ...(['delimiter', 'quote', 'headerRow', 'nullWords', 'dateOrder', 'types', 'onMisfit'] as const),
  ...(['decimal', 'decimalComma', 'thousands', 'currency', 'percent'] as const),
] as const;

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);

/** What an option is of, for a sentence. */
function homeOf(option: string): string {
  if (isOneOf(ofText, option)) return 'text';
  if (isOneOf(ofJson, option)) return 'JSON';
  const homes = [isOneOf(ofDelimited, option) && 'CSV and TSV', isOneOf(ofSheets, option) && 'workbooks'];
  return homes.filter((home) => home !== false).join(' and of ');
}

function fits(option: string, format: string): boolean {
  if (format === 'csv' || format === 'tsv') return isOneOf(ofText, option) || isOneOf(ofDelimited, option);
  if (isSheet(format)) return isOneOf(ofSheets, option);
  if (format === 'json' && isOneOf(ofJson, option)) return true;
  return !['parquet', 'arrow', 'avro'].includes(format) && isOneOf(ofText, option);
}

/** Throws the Fault OPTION_MISFIT where an option says nothing about files of this format. */
export function requireFitting(format: string, options: ReadOptions): void {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const [misfit] = given.find(([option]) => !fits(option, format)) ?? [];
  if (misfit === undefined) return;
  throw new Fault('OPTION_MISFIT', `The option ${misfit} is of ${homeOf(misfit)}; the file is ${format}.`, {
    extra: { option: misfit, format },
  });
}
