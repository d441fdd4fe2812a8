// Who waits for whom: ingests of one table, by the name that is known before the file is read.
import { splitName, tableNameOf } from './formats/extensions.ts';
import type { FileRecord } from './catalog.ts';
import type { IngestMode, OnConflict } from './modes.ts';
import { tableIdOf } from './stages/place.ts';

type Of = Pick<FileRecord, 'tenant' | 'workspace' | 'dataset' | 'name'>;

/** The key that ingests of a table hold one at a time. */
export const tableSlot = (file: Of, table?: string) => ({
  key: `table:${tableIdOf(file, file.dataset, table ?? tableNameOf(splitName(file.name).stem))}`,
  limit: 1,
});

interface Asked {
  readonly mode?: IngestMode | undefined;
  readonly table?: string | undefined;
  readonly onConflict?: OnConflict | undefined;
}

/**
 * Who adds to a table builds on what is published of it: those wait for each other. So do those who ask for it; who refuses holds the key
 * of the table until its job has ended.
 */
export function gatesOf(file: Of, { mode = 'replace', table, onConflict = 'supersede' }: Asked) {
  if (mode === 'replace' && onConflict === 'supersede') return {};
  const slot = tableSlot(file, table);
  return { concurrencyKey: slot, ...(onConflict === 'refuse' && { dedupKey: slot.key }) };
}
