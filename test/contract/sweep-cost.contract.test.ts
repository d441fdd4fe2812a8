// What a sweep costs grows with what is due, not with what is there: the same reads and writes over many live rows as over few.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countedSweep, fillSqlite } from '../../bench/support/sweeping.ts';
import { countedDynamoSweep, fillDynamo } from '../../bench/support/sweeping-dynamo.ts';
import { DUE_SHARDS } from '../../lib/job/ports.ts';
import { createTestTable } from './support/dynamo-table.ts';

const MANY = 20_000;
const DUE = 100;
/** Each shard is read once, and so is the list of the workspaces that are gone; a due row is written blindly, then as its refusal shows. */
const ONE_PAGE_EACH = { reads: DUE_SHARDS + 1, writes: 2 * DUE };

describe('a sweep with a hundred jobs due', () => {
  it('asks SQLite as much of a large table as of a small one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-sweep-'));
    try {
      const sweepOf = async (live: number) => {
        const path = join(folder, `${live}.sqlite`);
        fillSqlite(path, { live, due: DUE });
        const { reads, writes } = await countedSweep(path);
        return { reads, writes };
      };
      const few = await sweepOf(DUE);
      expect(few).toEqual(ONE_PAGE_EACH);
      expect(await sweepOf(MANY)).toEqual(few);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('asks DynamoDB as much of a large table as of a small one', async () => {
    const sweepOf = async (live: number) => {
      const table = await createTestTable();
      try {
        await fillDynamo(table, { live, due: DUE });
        const { reads, writes } = await countedDynamoSweep(table);
        return { reads, writes };
      } finally {
        await table.drop();
      }
    };
    const few = await sweepOf(DUE);
    expect(few).toEqual(ONE_PAGE_EACH);
    expect(await sweepOf(MANY)).toEqual(few);
  });
});
