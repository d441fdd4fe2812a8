// The schemas of the routes that answer SQL.
import * as z from 'zod';
import { recordOf } from '../core/any-keys.ts';
import { paramName, queryParams, sqlText as sql } from '../query/params-schema.ts';
import { resultFormats } from './result-formats.ts';
import type { SnapshotId } from '../core/ids.ts';
import { idSchema, isoTime, queryInt, timeQuery } from './schemas.ts';

const MAX_ROWS = 10_000;
/** Rows of a page, unless another number is asked for. */
export const PAGE_ROWS = 1000;

const columnSchema = z.strictObject({ name: z.string(), type: z.string() });

export const answerSchema = z
  .strictObject({
    columns: z.array(columnSchema),
    rows: z.array(z.array(z.unknown())).meta({
      description:
        'Integers past 2^53 and decimals are strings, dates and timestamps ISO 8601, nested values JSON, so no value changes.',
    }),
    rowCount: z.int(),
    truncated: z.boolean().meta({ description: 'True when there were more rows than the limit.' }),
    elapsedMs: z.number(),
  })
  .meta({ id: 'QueryAnswer' });

export const linkFields = {
  url: z.url().meta({ description: 'GET the file here, without a key.' }),
  expiresAt: isoTime.meta({ description: 'When the URL stops to work; the file is removed later.' }),
  format: z.enum(resultFormats),
  bytes: z.int(),
  columns: z.array(columnSchema),
  rowCount: z.int(),
};

export const linkSchema = z
  .strictObject({ ...linkFields, truncated: z.boolean(), elapsedMs: z.number() })
  .meta({ id: 'QueryLink' });

export const pageSchema = z
  .strictObject({
    columns: z.array(columnSchema),
    rows: z.array(z.array(z.unknown())),
    rowCount: z.int().meta({ description: 'Rows of this page; a page ends early where its rows are large.' }),
    totalRows: z.int().meta({ description: 'Rows of all pages.' }),
    nextCursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
    expiresAt: isoTime.meta({ description: 'Until when the cursors work.' }),
  })
  .meta({ id: 'QueryPage' });

export const checkSchema = z
  .strictObject({
    columns: z.array(columnSchema).nullable().meta({
      description: 'Null where they follow from parameters whose values were not sent.',
    }),
    parameters: z
      .array(z.strictObject({ name: z.string(), type: z.string().nullable() }))
      .meta({ description: 'In the order of the SQL; type is null where it follows from the value.' }),
    tables: z.array(z.string()).meta({ description: 'Those that it reads, by name.' }),
    repeatable: z.boolean().meta({
      description:
        'False where it asks for the time, for chance or for a sample, and so answers otherwise another time.',
    }),
  })
  .meta({ id: 'QueryCheck' });

export const planSchema = z
  .strictObject({
    plan: z.array(z.unknown()).meta({ description: "DuckDB's operators, each {name, children, extra_info}." }),
  })
  .meta({ id: 'QueryPlan' });

const params = queryParams.meta({
  description: 'A value for each $name of the SQL: JSON, or {type, value} for what JSON has no form for.',
  // The library drops the examples of what is changed on its way in.
  override: { examples: [{ city: 'Oslo', since: { type: 'DATE', value: '2024-01-31' } }] },
});

const asOf = z
  .union(
    [timeQuery, recordOf(paramName, idSchema<SnapshotId>('snap'))],
    'It is neither a time of ISO 8601 with a zone nor an object of table names and snapshot ids.',
  )
  .optional()
  .meta({
    description:
      'The tables as they were published at a time, or some of them, by name, as of a snapshot; those that are not named are as they are now.',
    override: {
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'object', additionalProperties: { type: 'string' } },
      ],
    },
    examples: ['2026-01-31T09:30:00Z', { orders: 'snap_00000000000000000000000001' }],
  });

export const statementBody = z.strictObject({ sql, params: params.optional(), asOf });

const runOptions = {
  params: params.optional(),
  asOf,
  limit: z
    .int()
    .min(1)
    .optional()
    .meta({
      description: `Rows wanted at most; ${MAX_ROWS} are the most of an answer, and the most behind a URL follow from its bytes.`,
    }),
  delivery: z.enum(['body', 'url', 'pages']).default('body').meta({
    description:
      'Where the rows are: in the answer; in a file that the answer has a URL of; or in pages of `limit` rows as JSON, the first of which is the answer.',
  }),
  format: z
    .enum(resultFormats)
    .optional()
    .meta({ description: 'Without it, Accept decides; types that are not among the answers are passed over.' }),
};
const fitsDelivery = ({ limit = 1, delivery }: { limit?: number | undefined; delivery: string }) =>
  delivery === 'url' || limit <= MAX_ROWS;
const beyondAnswer = {
  path: ['limit'],
  error: `An answer has at most ${MAX_ROWS} rows; ask for more with delivery "url" or "pages".`,
};

export const queryBody = z.strictObject({ sql, ...runOptions }).refine(fitsDelivery, beyondAnswer);
/** The same without the statement. */
export const optionsBody = z.strictObject(runOptions).refine(fitsDelivery, beyondAnswer);

export const pageQuery = z.strictObject({
  cursor: z.string().min(1).max(200).meta({ description: 'The `nextCursor` of the page before.' }),
  limit: queryInt(1, MAX_ROWS)
    .default(PAGE_ROWS)
    .meta({
      override: { type: 'integer', minimum: 1, maximum: MAX_ROWS, default: PAGE_ROWS },
    }),
});
