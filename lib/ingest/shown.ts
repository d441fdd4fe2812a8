// What callers see of a snapshot: its manifest under the policy that the dataset has now, with what people say of it.
import type { Documents, StoredDocument } from '../core/documents.ts';
import type { DatasetId, Scope, TableId } from '../core/ids.ts';
import type { Objects } from '../core/objects.ts';
import { type Annotation, annotationsOf } from './annotations.ts';
import type { Catalog } from './catalog.ts';
import type { Manifest } from './manifest-schema.ts';
import { withLateTags } from './derive/source-tags.ts';
import { type ManifestDeps, type ManifestRef, readManifest } from './manifest.ts';
import { shownManifest } from './overlay.ts';
import { policyOf } from './policy.ts';

export interface ShownDeps {
  readonly catalog: ManifestDeps['catalog'] & Pick<Catalog, 'getDataset'>;
  readonly documents: Documents;
  readonly objects: Objects;
}
export interface TablePlace {
  readonly scope: Scope;
  readonly dataset: DatasetId;
  readonly table: TableId;
}

/** What somebody says, with the version that the next one to say something has to name. */
export type Said = Annotation & { readonly version: number };
export type ShownManifest = Omit<Manifest, 'columns'> & {
  readonly annotation?: Said;
  readonly columns: readonly (Manifest['columns'][number] & { readonly annotation?: Said })[];
};

export const saidOf = ({ body, version }: StoredDocument<Annotation>): Said => ({ ...body, version });

/** Throws what `readManifest` throws. */
export async function readShown({ catalog, documents, objects }: ShownDeps, ref: ManifestRef): Promise<ShownManifest> {
  const { dataset, table } = ref;
  const [manifest, owner, annotations] = await Promise.all([
    readManifest({ catalog, objects }, ref),
    catalog.getDataset(ref, dataset),
    annotationsOf(documents, ref, dataset, table),
  ]);
  const { action } = policyOf(owner?.policy).pii;
  const tagged = await withLateTags(documents, { scope: ref, dataset }, manifest, action);
  const { columns, ...shown } = shownManifest(tagged, annotations, action);
  return {
    ...shown,
    ...(annotations.table && { annotation: saidOf(annotations.table) }),
    columns: columns.map((column) => {
      const said = annotations.columns.get(column.name);
      return said ? { ...column, annotation: saidOf(said) } : column;
    }),
  };
}
