import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../../lib/ingest/engine/sql.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { inFolder, readBack, refusal } from '../world.ts';
import { chunkFields, edited, struct, withChunk, withFooter } from './edit-footer.ts';

const ENCRYPTION = 8;
const byFooterKey = struct([1, struct()]);

let plain: Buffer;
beforeAll(async () => {
  plain = await inFolder(async (workDir) => {
    const path = join(workDir, 'p.parquet');
    await withEngine({ workDir, limits: defaultReadLimits }, (engine) =>
      engine.run(`COPY (SELECT range AS n FROM range(10)) TO ${literal(path)} (FORMAT parquet)`),
    );
    return readFile(path);
  });
});

describe('a Parquet file that is encrypted', () => {
  it('is refused as that where only its columns are', async () => {
    const columns = withChunk(plain, 0, 0, (chunk) => edited(chunk, { [chunkFields.crypto]: byFooterKey }));
    const signed = withFooter(columns, (footer) => edited(footer, { [ENCRYPTION]: byFooterKey }));
    for (const file of [columns, signed]) {
      const { code, detail } = await refusal('t.parquet', file);
      expect([code, detail]).toEqual(['PARSE_ERROR', expect.stringContaining('encrypted')]);
    }
  });

  it('is refused as that by its end alone', async () => {
    const file = Buffer.concat([plain.subarray(0, -4), Buffer.from('PARE')]);
    const { code, detail } = await refusal('t.parquet', file);
    expect([code, detail]).toEqual(['PARSE_ERROR', expect.stringContaining('encrypted')]);
  });

  it('is read where its footer is only signed', async () => {
    const signed = withFooter(plain, (footer) => edited(footer, { [ENCRYPTION]: byFooterKey }));
    expect((await readBack('t.parquet', signed)).rowCount).toBe(10);
  });
});

describe('a Parquet footer', () => {
  it('that nests without end, or has a number that does, is damaged', async () => {
    for (const byte of [0x1c, 0xff, 0x9c]) {
      const body = Buffer.alloc(200_000, byte);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(body.length);
      const file = Buffer.concat([Buffer.from('PAR1'), body, length, Buffer.from('PAR1')]);
      expect((await refusal('t.parquet', file)).code).toBe('PARSE_ERROR');
    }
  });
});
