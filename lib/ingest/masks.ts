// Which columns no query may see, by the policy that the dataset has now and what people have said by now.
import type { Documents } from '../core/documents.ts';
import type { DatasetId, Scope, TableId } from '../core/ids.ts';
import { annotationsOf } from './annotations.ts';
import type { Catalog } from './catalog.ts';
import type { Manifest } from './manifest-schema.ts';
import { withLateTags } from './derive/source-tags.ts';
import { maskedColumns } from './overlay.ts';
import { policyOf } from './policy.ts';

export interface MaskDeps {
  readonly catalog: Pick<Catalog, 'getDataset'>;
  readonly documents: Documents;
}
interface Within {
  readonly scope: Scope;
  readonly dataset: DatasetId;
}
export interface MaskedTable {
  readonly id: TableId;
  readonly manifest: Manifest;
}

/** The columns to mask of each table, in the order of the tables. Where the policy masks nothing, only the dataset is read. */
export const createMasks =
  ({ catalog, documents }: MaskDeps) =>
  async ({ scope, dataset }: Within, tables: readonly MaskedTable[]): Promise<readonly string[][]> => {
    const { action } = policyOf((await catalog.getDataset(scope, dataset))?.policy).pii;
    if (action !== 'mask' && action !== 'reject') return tables.map(() => []);
    return Promise.all(
      tables.map(async ({ id, manifest }) =>
        maskedColumns(
          await withLateTags(documents, { scope, dataset }, manifest, action),
          await annotationsOf(documents, scope, dataset, id),
          action,
        ),
      ),
    );
  };
