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

type SaidDeps = Pick<ShownDeps, 'documents'> & { readonly catalog: Pick<Catalog, 'getDataset'> };

/** What decides about a table: the policy of its dataset, and what people say of it. */
async function rulesOf({ catalog, documents }: SaidDeps, { scope, dataset, table }: TablePlace) {
  const [owner, annotations] = await Promise.all([
    catalog.getDataset(scope, dataset),
    annotationsOf(documents, scope, dataset, table),
  ]);
  return { action: policyOf(owner?.policy).pii.action, annotations };
}
type Rules = Awaited<ReturnType<typeof rulesOf>>;

async function underRules(
  { documents }: SaidDeps,
  place: TablePlace,
  manifest: Manifest,
  { action, annotations }: Rules,
) {
  const tagged = await withLateTags(documents, place, manifest, action);
  return shownManifest(tagged, annotations, action, manifest);
}

/** A manifest of the table with the tags that hold now, and without the values that they hide. */
export const manifestShown = async (deps: SaidDeps, place: TablePlace, manifest: Manifest): Promise<Manifest> =>
  underRules(deps, place, manifest, await rulesOf(deps, place));

/** Throws what `readManifest` throws. */
export async function readShown(deps: ShownDeps, ref: ManifestRef): Promise<ShownManifest> {
  const place = { scope: ref, dataset: ref.dataset, table: ref.table };
  const [manifest, rules] = await Promise.all([readManifest(deps, ref), rulesOf(deps, place)]);
  const { columns, ...shown } = await underRules(deps, place, manifest, rules);
  const { annotations } = rules;
  return {
    ...shown,
    ...(annotations.table && { annotation: saidOf(annotations.table) }),
    columns: columns.map((column) => {
      const said = annotations.columns.get(column.name);
      return said ? { ...column, annotation: saidOf(said) } : column;
    }),
  };
}
