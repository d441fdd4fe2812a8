import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../../lib/ingest/engine/sql.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { inFolder, readBack } from '../world.ts';
import { withZone } from './edit-footer.ts';

it('points in time keep their type where a footer of the same length led to what is stored', async () => {
  const bytes = await inFolder(async (workDir) => {
    const path = join(workDir, 'p.parquet');
    await withEngine({ workDir, limits: defaultReadLimits }, (engine) =>
      engine.run(`COPY (SELECT now()::TIMESTAMP_NS AS t WHERE false) TO ${literal(path)} (FORMAT parquet)`),
    );
    return readFile(path);
  });
  expect((await readBack('t.parquet', withZone(bytes, [0]))).schema).toEqual(['t TIMESTAMP WITH TIME ZONE']);
});
