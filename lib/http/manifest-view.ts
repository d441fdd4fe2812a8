// What callers are told of a manifest: of a table with thousands of columns as many of them as fit, and where to go on. Lambda answers at most
// 6 MB.
import * as z from 'zod';
import { annotationSchema } from '../ingest/annotations.ts';
import { manifestSchema } from '../ingest/manifest-schema.ts';
import type { ShownManifest } from '../ingest/shown.ts';

/** Columns of one answer, and bytes of their JSON; one column is always told. */
const MOST_COLUMNS = 1000;
const MOST_BYTES = 2_500_000;
/** Of other lists that grow with the columns. */
const MOST_LISTED = 1000;

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
    .strictObject({ warnings: count, added: count, removed: count, typeChanged: count })
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
/** The most that fits, at least one. */
function fitting<T>(columns: readonly T[]): T[] {
  const told: T[] = [];
  let bytes = 0;
  for (const column of columns.slice(0, MOST_COLUMNS)) {
    bytes += Buffer.byteLength(JSON.stringify(column));
    if (told.length > 0 && bytes > MOST_BYTES) break;
    told.push(column);
  }
  return told;
}

const cut = <T>(list: readonly T[]): T[] => list.slice(0, MOST_LISTED);

/** What a manifest tells callers, from a column on. */
export function detailOf(
  manifest: ShownManifest,
  { columnsFrom }: { readonly columnsFrom: number },
): Record<string, unknown> {
  const { columns, warnings, changes } = manifest;
  const told = fitting(columns.slice(columnsFrom));
  const next = columnsFrom + told.length;
  const { added, removed, typeChanged } = changes;
  const long = Object.entries({ warnings, added, removed, typeChanged }).filter(
    ([, { length }]) => length > MOST_LISTED,
  );
  const short = {
    warnings: cut(warnings),
    changes: { ...changes, added: cut(added), removed: cut(removed), typeChanged: cut(typeChanged) },
  };
  return {
    ...shownFields({ ...manifest, ...short, columns: told }),
    columnCount: columns.length,
    ...(next < columns.length && { nextColumn: next }),
    ...(long.length > 0 && {
      leftOut: Object.fromEntries(long.map(([name, { length }]) => [name, length - MOST_LISTED])),
    }),
  };
}

const shownFields = (manifest: ShownManifest): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(manifest).filter(([field, value]) => field in manifestFields && value !== undefined),
  );
