// What the caller says about a file that its bytes do not say, or say wrongly. An option is followed, never weighed against the evidence.
import * as z from 'zod';
import { recordOf } from '../core/any-keys.ts';
import { Fault } from '../core/fault.ts';
import { encodingNames } from './formats/encoding/encodings.ts';
import { dateOrders } from './typing/day-months.ts';
import { isForcedType, plainTypes } from './typing/forced.ts';
import { thousandsSeparators } from './typing/numbers.ts';

const MAX_HEADER_ROW = 1000;

export const reportModes = ['rejects', 'all', 'none'] as const;

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

/** How much may be left out, and what is reported of it. */
const ofRejects = () => ({
  onBadRecord: z.enum(['refuse', 'reject']).optional().meta({
    description:
      'Of CSV, TSV and NDJSON: what becomes of a record that is no record, or has more fields than the header: the file is refused, and more fields are columns of their own (when absent), or the record is left out.',
  }),
  maxRejects: z.int().min(0).optional().meta({ description: 'Records that may be left out; no bound when absent.' }),
  maxRejectShare: z.number().min(0).max(1).optional().meta({
    description: 'The share of the records of a table that may be left out; 0.5 when absent.',
  }),
  report: z.enum(reportModes).optional().meta({
    description:
      'What the rejects report names: what could not be taken as it was (when absent), every record, or nothing: then there is no report.',
  }),
});

/** Which formats an option is of is said below. */
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
      types: recordOf(
        z.string().min(1).max(1000),
        z.string().refine(isForcedType, `It is ${plainTypes.join(', ')} or DECIMAL(p,s).`),
      )
        .optional()
        .meta({ description: `Columns by name, each with its type: ${plainTypes.join(', ')} or DECIMAL(p,s).` }),
      onMisfit: z.enum(['refuse', 'null', 'reject']).optional().meta({
        description:
          'What becomes of a value that does not fit the type that `types` gives its column: the file is refused (when absent), the value is NULL, or its record is left out.',
      }),
      ...ofRejects(),
      ...ofNumbers(),
      jsonPath: z.string().min(1).max(1000).optional().meta({
        description:
          'Of JSON: where the array is that is the table, as a JSON pointer (`/data/rows`) or with points (`data.rows`).',
      }),
    }),
  )
  .meta({ id: 'ReadOptions' });
export type ReadOptions = z.infer<typeof readOptionsSchema>;

const delimited = ['csv', 'tsv'] as const;
const lines = ['json', 'ndjson'] as const;
const sheets = ['xlsx', 'xls', 'ods'] as const;
/** The formats that an option is of, with their name in a sentence. */
const homes = {
  text: { what: 'text', formats: [...delimited, ...lines] },
  delimited: { what: 'CSV and TSV', formats: delimited },
  json: { what: 'JSON', formats: ['json'] },
  sheets: { what: 'workbooks', formats: sheets },
  tables: { what: 'CSV and TSV and of workbooks', formats: [...delimited, ...sheets] },
  records: { what: 'CSV, TSV and NDJSON', formats: [...delimited, 'ndjson'] },
  values: { what: 'text and of workbooks', formats: [...delimited, ...lines, ...sheets] },
} as const satisfies Record<string, { what: string; formats: readonly string[] }>;

const homeOf: Readonly<Record<keyof ReadOptions, keyof typeof homes>> = {
  ...({ encoding: 'text', jsonPath: 'json', sheet: 'sheets' } as const),
  ...({ delimiter: 'delimited', quote: 'delimited' } as const),
  ...({ decimal: 'delimited', decimalComma: 'delimited', thousands: 'delimited' } as const),
  ...({ currency: 'delimited', percent: 'delimited' } as const),
  ...({ headerRow: 'tables', nullWords: 'tables' } as const),
  ...({ dateOrder: 'values', types: 'values', onMisfit: 'values' } as const),
  onBadRecord: 'records',
  ...({ maxRejects: 'values', maxRejectShare: 'values', report: 'values' } as const),
};

/** Throws the Fault OPTION_MISFIT where an option says nothing about files of this format. */
export function requireFitting(format: string, options: ReadOptions): void {
  for (const [option, value] of Object.entries(options)) {
    const { what, formats }: { what: string; formats: readonly string[] } = homes[homeOf[option as keyof ReadOptions]];
    if (value === undefined || formats.includes(format)) continue;
    throw new Fault('OPTION_MISFIT', `The option ${option} is of ${what}; the file is ${format}.`, {
      extra: { option, format },
    });
  }
}
