// Reads a workbook in a process of its own: `node peak.ts <file>`. Prints its rows and its largest resident memory, MB, as JSON.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listTables } from '../../../../lib/ingest/reading/list-tables.ts';
import { readTable } from '../../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';

const [, , path = ''] = process.argv;
const workDir = await mkdtemp(join(tmpdir(), 'millrace-peak-'));
try {
  const request = { path, name: 'book.xlsx', workDir, limits: defaultReadLimits };
  const [table] = (await listTables(request)).tables;
  const { rowCount } = await readTable({ ...request, within: table?.within });
  console.log(JSON.stringify({ rowCount, residentMb: process.resourceUsage().maxRSS / 1024 }));
} finally {
  await rm(workDir, { recursive: true, force: true });
}
