// What describing needs of the world, and what the pass is submitted with.
import * as z from 'zod';
import type { Documents } from '../../core/documents.ts';
import type { Objects } from '../../core/objects.ts';
import type { Catalog } from '../catalog.ts';
import type { ReadLimits } from '../reading/types.ts';
import { idOf } from '../id-of.ts';
import type { ModelSettings } from './describing.ts';

export interface DescribeDeps {
  readonly documents: Documents;
  readonly objects: Objects;
  readonly limits: ReadLimits;
  /** Rules alone where left out. */
  readonly describer?: ModelSettings | undefined;
}

export interface DescribePassDeps extends DescribeDeps {
  readonly catalog: Catalog;
}

export const describePassInput = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    /** All tables of the dataset where it is left out. */
    table: idOf('tbl').optional(),
    /** Asks a model about columns that one has described already, too. */
    again: z.boolean().optional(),
    /** It goes on with what another run has left. */
    follows: z.boolean().optional(),
  }),
);
export type DescribePassInput = z.infer<typeof describePassInput>;
