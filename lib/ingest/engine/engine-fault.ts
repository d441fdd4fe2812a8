// What DuckDB throws where it has no more memory or disk, as a fault: its own words tell nobody what to do, and none of them is worth a retry.
import { asError } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { ReadLimits } from '../reading/types.ts';

type Bounds = Pick<ReadLimits, 'engineMemoryBytes' | 'engineSpillBytes'>;

const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/** INGEST_MEMORY, INGEST_DISK or DISK_FULL; undefined where something else is wrong. */
export function engineFault(thrown: unknown, { engineMemoryBytes, engineSpillBytes }: Bounds): Fault | undefined {
  if (thrown instanceof Fault) return undefined;
  const { message } = asError(thrown);
  if (/^IO Error: .*No space left on device/.test(message))
    return new Fault('DISK_FULL', 'DuckDB found no room on the disk.', { cause: thrown });
  const [, what] = /^Out of Memory Error: ([^\n]*?)\.?(\n|$)/.exec(message) ?? [];
  if (what === undefined) return undefined;
  if (message.includes("'max_temp_directory_size'"))
    return new Fault('INGEST_DISK', `DuckDB may put aside ${mib(engineSpillBytes)} on the disk, and needs more.`, {
      cause: thrown,
    });
  const detail = `DuckDB may hold ${mib(engineMemoryBytes)} of memory: ${what}.`;
  return new Fault('INGEST_MEMORY', detail, { cause: thrown });
}
