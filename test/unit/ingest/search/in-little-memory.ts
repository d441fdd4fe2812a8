// Patches and searches an index in a process of its own: `node in-little-memory.ts <file>`. Prints what it found as JSON.
import { readFile } from 'node:fs/promises';
import { patched } from '../../../../lib/ingest/search/index-patch.ts';
import { readIndex } from '../../../../lib/ingest/search/index-read.ts';
import { anyRoom, aTable, tableIdOf } from '../../../support/search-index.ts';

const [, , path = ''] = process.argv;
const index = readIndex(await readFile(path));
const { bytes, counts } = patched(index, [[tableIdOf(0), aTable(0, 'invoices', { total: {} })]], anyRoom);
const found = readIndex(bytes).text.search('invoices', () => true);
console.log(JSON.stringify({ ...counts, found: found.map(({ id }) => id) }));
