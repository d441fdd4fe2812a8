// What callers are told of a manifest: of a table with thousands of columns as many of them as fit, and where to go on. Lambda answers at most
// 6 MB.
import * as z from 'zod';
import { annotationSchema } from '../ingest/annotations.ts';
import { manifestSchema } from '../ingest/manifest-schema.ts';
import type { ShownManifest } from '../ingest/shown.ts';
import { fitting } from './fitting.ts';

/** Columns of one answer, and bytes of their JSON; one column is always told. */
const MOST_COLUMNS = 1000;
const MOST_BYTES = 2_500_000;
/** Of each of the other lists that grow with the columns, whose names may be long. */
const MOST_LISTED = 1000;
const MOST_LISTED_BYTES = 300_000;

export const columnQuery = {
  columnsFrom: z.coerce.number().int().min(0).default(0).meta({
    description: 'The place of the first column to tell of, from 0; `nextColumn` of the answer before.',
  }),
};

const count = z.int().optional();
const columnPageFields = {
  columnCount: z.int().meta({ description: 'Of the table.' }),
  nextColumn: count.meta({
    description: 'There where `columns` ends before the last one: ask again with it as `columnsFrom`.',
  }),
  leftOut: z
    .strictObject({
      ...{ warnings: count, added: count, removed: count, typeChanged: count },
      ...{ renamed: count, candidates: count, sampleColumns: count },
    })
    .optional()
    .meta({ description: 'How many entries of long lists are not told.' }),
};

const {
  description,
  synonyms,
  rowCount,
  columns,
  sampleRows,
  warnings,
  degraded,
  source,
  changes,
  added,
  derivation,
  hash,
  rolledBackTo,
} = manifestSchema.unwrap().shape;
export const annotatedSchema = annotationSchema
  .unwrap()
  .extend({ version: z.int().meta({ description: 'Its ETag, without the quotes.' }) })
  .meta({ id: 'Annotation' });
export const manifestFields = {
  ...columnPageFields,
  annotation: annotatedSchema.optional(),
  ...{ description, synonyms },
  ...{ rowCount, columns: z.array(columns.element.extend({ annotation: annotatedSchema.optional() })), sampleRows },
  ...{ warnings, degraded, source, changes, added, derivation, hash, rolledBackTo },
};
const cut = <T>(list: readonly T[]): T[] => fitting(list, { items: MOST_LISTED, bytes: MOST_LISTED_BYTES });

/** Whole columns of the rows. */
function cutSamples({ columns, rows }: SampleRows): SampleRows {
  const told = fitting(
    columns.map((name, place) => [name, ...rows.map((row) => row[place])]),
    { items: columns.length, bytes: MOST_LISTED_BYTES },
  ).length;
  return { columns: columns.slice(0, told), rows: rows.map((row) => row.slice(0, told)) };
}

type SampleRows = NonNullable<ShownManifest['sampleRows']>;
type Lists = Readonly<Record<string, readonly unknown[]>>;

/** How many entries of each list another has less; only those that lack some. */
const lacking = (whole: Lists, told: Lists): [string, number][] =>
  Object.entries(whole)
    .map(([name, { length }]): [string, number] => [name, length - (told[name]?.length ?? 0)])
    .filter(([, missing]) => missing > 0);

/** What a manifest tells callers, from a column on. */
export function detailOf(
  manifest: ShownManifest,
  { columnsFrom }: { readonly columnsFrom: number },
): Record<string, unknown> {
  const { columns, changes } = manifest;
  const told = fitting(columns.slice(columnsFrom), { items: MOST_COLUMNS, bytes: MOST_BYTES });
  const next = columnsFrom + told.length;
  const { added, removed, typeChanged, renamed, candidates } = changes;
  const lists = {
    ...{ added, removed, typeChanged },
    ...(renamed && { renamed }),
    ...(candidates && { candidates }),
  };
  const cutLists = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, cut<unknown>(list)]));
  const warnings = cut(manifest.warnings);
  const sampleRows = manifest.sampleRows && cutSamples(manifest.sampleRows);
  const long = lacking(
    { ...lists, warnings: manifest.warnings, sampleColumns: manifest.sampleRows?.columns ?? [] },
    { ...cutLists, warnings, sampleColumns: sampleRows?.columns ?? [] },
  );
  return {
    ...shownFields({ ...manifest, warnings, sampleRows, columns: told }),
    changes: { ...changes, ...cutLists },
    columnCount: columns.length,
    ...(next < columns.length && { nextColumn: next }),
    ...(long.length > 0 && { leftOut: Object.fromEntries(long) }),
  };
}

const shownFields = (manifest: ShownManifest): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(manifest).filter(([field, value]) => field in manifestFields && value !== undefined),
  );
