// What people say of tables and columns: documents beside the snapshots, so that they outlive each of them, and go before whatever a pass finds.
import * as z from 'zod';
import { type Documents, documentFamily, type StoredDocument } from '../core/documents.ts';
import type { DatasetId, Scope, TableId } from '../core/ids.ts';
import { piiTag } from './pii/tags.ts';

/** Bytes of `governance` as JSON. */
const MOST_GOVERNANCE = 4096;

export const annotationSchema = z.lazy(() =>
  z.strictObject({
    description: z.string().max(4000).optional(),
    piiTag: piiTag.optional().meta({
      description: 'The personal data that the column holds; `NONE` where it holds none, whatever detectors say.',
    }),
    synonyms: z.array(z.string().min(1).max(100)).max(50).optional(),
    businessOwner: z.string().max(200).optional(),
    semanticType: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,59}$/, 'It is small letters, digits and _, at most 60.')
      .optional(),
    governance: z
      .record(z.string(), z.json())
      .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MOST_GOVERNANCE, {
        error: `It may have ${MOST_GOVERNANCE} bytes as JSON.`,
      })
      .optional()
      .meta({ description: 'Anything else, as JSON of at most 4 KB.' }),
  }),
);
export type Annotation = z.infer<typeof annotationSchema>;

/** Group: the id of the dataset. Name: that of the table, and `#` and the column where it is of a column. */
export const annotationFamily = (documents: Documents) =>
  documentFamily(documents, { family: 'annotation', schema: annotationSchema });

export const annotationName = (table: TableId, column: string | undefined): string =>
  column === undefined ? table : `${table}#${column}`;

export interface TableAnnotations {
  readonly table?: StoredDocument<Annotation> | undefined;
  /** By name of column; also of columns that the table does not have now. */
  readonly columns: ReadonlyMap<string, StoredDocument<Annotation>>;
}

/** All that is said of a table, in one consistent read a hundred. */
export async function annotationsOf(
  documents: Documents,
  { tenant, workspace }: Scope,
  dataset: DatasetId,
  table: TableId,
): Promise<TableAnnotations> {
  const all = await annotationFamily(documents).all({ tenant, workspace, group: dataset }, table);
  const ofColumn = `${table}#`;
  return {
    table: all.find(({ name }) => name === table),
    columns: new Map(
      all.filter(({ name }) => name.startsWith(ofColumn)).map((each) => [each.name.slice(ofColumn.length), each]),
    ),
  };
}
