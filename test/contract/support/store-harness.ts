import type { ApiKeys } from '../../../lib/http/keys.ts';
import type { Catalog } from '../../../lib/ingest/catalog.ts';
import type { JobStore } from '../../../lib/job/ports.ts';
import type { JobRow } from '../../../lib/job/row.ts';

/** A store under test, empty when opened. */
export interface StoreHarness {
  readonly store: JobStore & Catalog & ApiKeys;
  /** Puts a row past the rules: what no store offers, so that a test may begin with any row. */
  putRow(row: JobRow): Promise<void>;
  close(): Promise<void>;
}
