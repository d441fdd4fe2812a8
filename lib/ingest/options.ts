// What the caller says about a file that its bytes do not say, or say wrongly. An option is followed, never weighed against the evidence.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import { encodingNames } from './formats/encoding/encodings.ts';
import { isSheet } from './formats/sheet-format.ts';
import { dateOrders } from './typing/day-months.ts';

const MAX_HEADER_ROW = 1000;

const sheetName = z.string().min(1).max(255);

/** `encoding` is of every text format, `sheet` of workbooks, the others of CSV and TSV, some of them of workbooks as well. */
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
        .record(z.string().min(1).max(1000), z.enum(['VARCHAR']))
        .optional()
        .meta({ description: 'Columns that stay text, by name, each with the type VARCHAR.' }),
    }),
  )
  .meta({ id: 'ReadOptions' });
export type ReadOptions = z.infer<typeof readOptionsSchema>;

const ofSheets = ['sheet', 'headerRow', 'nullWords', 'dateOrder', 'types'] as const;
const ofText = ['encoding'] as const;
const ofDelimited = ['delimiter', 'quote', 'headerRow', 'nullWords', 'dateOrder', 'types'] as const;

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);

/** What an option is of, for a sentence. */
function homeOf(option: string): string {
  if (isOneOf(ofText, option)) return 'text';
  const homes = [isOneOf(ofDelimited, option) && 'CSV and TSV', isOneOf(ofSheets, option) && 'workbooks'];
  return homes.filter((home) => home !== false).join(' and of ');
}

function fits(option: string, format: string): boolean {
  if (format === 'csv' || format === 'tsv') return isOneOf(ofText, option) || isOneOf(ofDelimited, option);
  if (isSheet(format)) return isOneOf(ofSheets, option);
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
