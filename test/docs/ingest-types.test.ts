import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { warningCatalogue } from '../../lib/ingest/warnings.ts';

it('docs/ingest-types.md explains exactly the warnings that ingest can give', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/ingest-types.md'), 'utf8');
  const explained = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
  expect(explained).toEqual(Object.keys(warningCatalogue).sort());
});
