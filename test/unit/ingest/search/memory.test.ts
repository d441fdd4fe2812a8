import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { aTable, indexOf, tableIdOf } from '../../../support/search-index.ts';
import { inFolder } from '../world.ts';

const TABLES = 100;
const COLUMNS = 100;
/** MiB of JavaScript objects. With the words as objects it took more than that to search this index, and twice as much to write it. */
const HEAP = 24;

const wide = (at: number) => {
  const column = (n: number) => ({
    description: `number ${n} of table${at} with code${(n * 7919 + at) % 20_011} and key${n * at}`,
    samples: [0, 1, 2, 3].map((each) => `v${at}x${n}x${each}`),
  });
  return aTable(
    at,
    `orders_${at}`,
    Object.fromEntries(Array.from({ length: COLUMNS }, (_, n) => [`c${n}`, column(n)])),
  );
};

it('an index of ten thousand columns is patched and searched in a process with hardly any heap', async () => {
  await inFolder(async (folder) => {
    const index = indexOf(...Array.from({ length: TABLES }, (_, at) => wide(at)));
    expect(index.size).toBe(TABLES * (COLUMNS + 1));
    const path = join(folder, 'index.ndjson');
    await writeFile(path, index.lines.bytes);
    const flags = [`--max-old-space-size=${HEAP}`, '--max-semi-space-size=1', '--conditions=millrace-source'];
    const script = join(import.meta.dirname, 'in-little-memory.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, path]);
    expect(JSON.parse(stdout)).toEqual({
      ...{ tables: TABLES, entries: index.size - COLUMNS + 1, leftOut: 0 },
      found: [tableIdOf(0), `${tableIdOf(0)}#0`],
    });
  });
}, 60_000);
