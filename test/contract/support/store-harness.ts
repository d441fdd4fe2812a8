import type { ApiKeys } from '../../../lib/http/keys.ts';
import type { Catalog } from '../../../lib/ingest/catalog.ts';
import type { Documents } from '../../../lib/core/documents.ts';
import type { JobRef } from '../../../lib/core/ids.ts';
import type { JobStore } from '../../../lib/job/ports.ts';
import type { JobRow } from '../../../lib/job/row.ts';
import type { Row } from '../../../lib/rule/rule.ts';

/** A store under test, empty when opened. */
export interface StoreHarness {
  readonly store: JobStore & Catalog & Documents & ApiKeys;
  /** Puts a row past the rules: what no store offers, so that a test may begin with any row. */
  putRow(row: JobRow): Promise<void>;
  /** Adds attributes to a row past the rules and the schema, as a later release might. */
  alterRow(ref: JobRef, attributes: Row): Promise<void>;
  /** What is stored of a row, unparsed and without the store's own keys. */
  rawRow(ref: JobRef): Promise<Row>;
  close(): Promise<void>;
}
