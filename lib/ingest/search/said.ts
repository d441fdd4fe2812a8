// What people say of the tables and columns of a dataset, as far as search needs it. The documents belong to whoever writes annotations;
// of what else they hold nothing is asked.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Documents, documentFamily, type StoredDocument } from '../../core/documents.ts';
import type { DatasetId, Scope, TableId } from '../../core/ids.ts';
import type { Known } from './entries.ts';

const annotationSchema = z.lazy(() =>
  z.looseObject({
    description: z.string().optional(),
    synonyms: z.array(z.string()).optional(),
    semanticType: z.string().optional(),
    piiTag: z.string().optional(),
  }),
);
type Annotation = z.infer<typeof annotationSchema>;

export interface Said {
  /** Other as soon as anything is said otherwise; undefined where nothing is. */
  stampOf(table: TableId): string | undefined;
  /** Of the table, or of a column of it; an empty object where nothing is said. */
  of(table: TableId, column?: string): Known;
}

/** Of one table where it is named. */
export async function readSaid(documents: Documents, scope: Scope, dataset: DatasetId, table?: TableId): Promise<Said> {
  const { tenant, workspace } = scope;
  const family = documentFamily(documents, { family: 'annotation', schema: annotationSchema });
  const all = await family.all({ tenant, workspace, group: dataset }, table);
  const byTable = Map.groupBy(all, ({ name }) => name.split('#', 1)[0] ?? '');
  const byName = new Map(all.map((each) => [each.name, each.body]));
  return {
    stampOf: (table) => stamp(byTable.get(table) ?? []),
    of: (table, column) => known(byName.get(column === undefined ? table : `${table}#${column}`)),
  };
}

function stamp(documents: readonly StoredDocument[]): string | undefined {
  if (documents.length === 0) return undefined;
  const versions = documents.map(({ name, version }) => `${name} ${version}`).sort();
  return createHash('sha256').update(JSON.stringify(versions)).digest('base64url').slice(0, 22);
}

function known({ description, synonyms, semanticType, piiTag }: Annotation = {}): Known {
  return {
    ...(description !== undefined && { description }),
    ...(synonyms !== undefined && { synonyms }),
    ...(semanticType !== undefined && { semanticType }),
    ...(piiTag !== undefined && { pii: piiTag }),
  };
}
