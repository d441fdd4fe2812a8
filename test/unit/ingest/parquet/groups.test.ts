// A Parquet file that is read by its row groups is the table that it is when it is read at once.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../../../lib/core/fault.ts';
import { withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../../lib/ingest/engine/sql.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { casesOf, pathOf } from '../../../corpus/cases.ts';
import { inFolder, readBack, refusal } from '../world.ts';
import {
  chunkFields,
  edited,
  fileFields,
  groupFields,
  i64,
  metadataFields,
  numberOf,
  struct,
  withChunk,
  withFooter,
  withGroup,
  withMetadata,
  withZone,
} from './edit-footer.ts';
import { readGroups } from './read-groups.ts';

/** One thread, so that row groups stand in the order of the rows. */
const written = (select: string, options = ''): Promise<Buffer> =>
  inFolder(async (workDir) => {
    const path = join(workDir, 'p.parquet');
    await withEngine({ workDir, limits: { ...defaultReadLimits, engineThreads: 1 } }, (engine) =>
      engine.run(`COPY (${select}) TO ${literal(path)} (FORMAT parquet${options})`),
    );
    return readFile(path);
  });

const faultOf = async (work: Promise<unknown>): Promise<Fault> => {
  const thrown: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(Fault);
  return thrown as Fault;
};

async function expectSame(bytes: Buffer, own: Parameters<typeof readGroups>[1] = {}) {
  const [whole, grouped] = [await readBack('t.parquet', bytes), await readGroups(bytes, own)];
  const { columns, rowCount, warnings, rows } = whole;
  expect(grouped).toMatchObject({ columns, rowCount, warnings });
  expect(grouped.rows).toEqual(rows);
  return grouped;
}

describe('a Parquet file that is read by its row groups', () => {
  it.each(casesOf('parquet').map((one) => [basename(one.file), one] as const))(
    'is what %s is at once',
    async (_, one) => {
      const bytes = await readFile(pathOf(one));
      if ('fault' in one) {
        const whole = await refusal('t.parquet', bytes);
        expect((await faultOf(readGroups(bytes))).code).toBe(whole.code);
      } else await expectSame(bytes);
    },
  );

  const ROWS = 10_000;
  const columns = [
    'range AS n',
    "CASE WHEN range % 7 = 0 THEN NULL ELSE 'x' || range % 50 END AS word",
    'md5(range::VARCHAR) AS hash',
    '(range % 3 = 0) AS flag',
    "CASE WHEN range % 11 = 0 THEN NULL WHEN range % 13 = 0 THEN 'nan'::DOUBLE ELSE range / 7 END AS number",
    '(range / 100)::DECIMAL(20,4) AS price',
    '(range % 200)::UTINYINT AS small',
    '(-range)::HUGEINT AS huge',
    "DATE '1900-01-01' + range::INTEGER AS day",
    "TIMESTAMP '2024-01-01' + INTERVAL (range) SECOND AS stamp",
    "TIMESTAMPTZ '2024-01-01 00:00:00+00' + INTERVAL (range) SECOND AS instant",
    "('2024-05-01 00:00:00.' || (100000000 + range))::TIMESTAMP_NS AS nanos",
    "TIME '00:00:00' + INTERVAL (range) SECOND AS clock",
    'md5(range::VARCHAR)::BLOB AS bytes',
    "('{\"a\":' || range || '}')::JSON AS json",
    'uuid AS id',
    'CASE WHEN range % 5 = 0 THEN NULL ELSE [range, NULL, -range] END AS list',
    "{'a': range, 'b': [{'c': 'y' || range}]} AS nested",
    "MAP {'k': range, 'l': NULL} AS map",
    'INTERVAL (range) DAY AS span',
    'NULL AS nothing',
    "repeat('long ', (range % 100)::INTEGER) AS long",
    "(['red','green','blue'])[1 + range % 3]::ENUM('red','green','blue') AS colour",
  ];
  it('is the same whatever its types, codecs, dictionaries and row groups are', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...columns), { minLength: 1, maxLength: 6 }),
        fc.constantFrom('snappy', 'zstd', 'gzip', 'uncompressed', 'lz4_raw', 'brotli'),
        fc.constantFrom(
          '',
          ', DICTIONARY_SIZE_LIMIT 1',
          ', BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.001',
          ', PARQUET_VERSION v2',
        ),
        fc.integer({ min: 0, max: ROWS }),
        fc.constantFrom(1, 30_000, 200_000),
        async (chosen, codec, option, rows, groupBytes) => {
          const of = `(SELECT range, md5('u' || range)::UUID AS uuid FROM range(${rows}))`;
          const bytes = await written(
            `SELECT ${chosen.join(', ')} FROM ${of}`,
            `, ROW_GROUP_SIZE 2048, COMPRESSION ${codec}${option}`,
          );
          const { chunks } = await expectSame(bytes, { groupBytes });
          if (groupBytes === 1) expect(chunks).toHaveLength(Math.max(1, Math.ceil(rows / 2048)));
        },
      ),
      { numRuns: 12 },
    ));

  it('is so where a page takes more memory than one of several chunks side by side has', async () => {
    const select = 'SELECT repeat(md5(range::VARCHAR), 100) AS t FROM range(12000)';
    const bytes = await written(select, ', ROW_GROUP_SIZE 100000, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1');
    const own = { engineMemoryBytes: 100 * 2 ** 20, engineThreads: 1, groupBytes: 2 ** 30, chunksAtOnce: 2 };
    const { parts } = await readGroups(bytes, own);
    expect(parts.map(({ rows }) => rows)).toEqual([12_000]);
  });

  it('is hashed as any file', async () => {
    const bytes = await written('SELECT range AS n FROM range(10)');
    const { sha256 } = await readGroups(bytes, { chunksAnInvocation: 1 });
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});

describe('what only one row group loses', () => {
  /** Points in time of microseconds, but for one in the third row group. */
  const instants = async () => {
    const select = `SELECT range AS n,
      ('2024-05-01 00:00:00'::TIMESTAMP_NS + INTERVAL (range) SECOND)::TIMESTAMP_NS AS same,
      CASE WHEN range = 5000 THEN '2024-05-01 00:00:00.123456789' WHEN range = 9000 THEN '2024-05-01 00:00:00.000000001'
        ELSE '2024-05-01 00:00:00.5' END::TIMESTAMP_NS AS t FROM range(10000)`;
    return withZone(await written(select, ', ROW_GROUP_SIZE 2048'), [1, 2]);
  };

  it('is text in all of them, and told once with the row of the file', async () => {
    const { columns, warnings } = await expectSame(await instants());
    expect(columns.map(({ type }) => type)).toEqual(['BIGINT', 'TIMESTAMP WITH TIME ZONE', 'VARCHAR']);
    expect(warnings).toMatchObject([{ code: 'TYPE_AS_TEXT', column: 't', row: 5001, count: 2 }]);
  });
});

describe('a Parquet file whose footer is wrong', () => {
  let bytes: Buffer;
  beforeAll(async () => {
    bytes = await written("SELECT range AS n, 'x' || range AS t FROM range(6000)", ', ROW_GROUP_SIZE 2048');
  });
  const expectRefused = async (file: Buffer, says: RegExp, own: Parameters<typeof readGroups>[1] = {}) => {
    const { code, detail } = await faultOf(readGroups(file, own));
    expect([code, detail]).toEqual(['PARSE_ERROR', expect.stringMatching(says)]);
  };
  const { data, dictionary, compressed } = metadataFields;

  it('by where its columns stand is refused', async () => {
    for (const at of [-1n, 0n, 3n, BigInt(bytes.length), 2n ** 62n])
      await expectRefused(
        withMetadata(bytes, 1, 0, () => ({ [data]: i64(at), [dictionary]: undefined })),
        /where the file has none/,
      );
    for (const size of [-5n, BigInt(bytes.length), 2n ** 63n - 1n])
      await expectRefused(
        withMetadata(bytes, 1, 1, () => ({ [compressed]: i64(size) })),
        /where the file has none|share|byte/,
      );
    await expectRefused(
      withMetadata(bytes, 1, 0, (of) => ({ [compressed]: i64(numberOf(of, compressed) + 1n) })),
      /two columns/,
    );
    await expectRefused(
      withMetadata(bytes, 2, 0, () => ({ [data]: undefined })),
      /where the file has none/,
    );
    // All of its bytes are there.
    await expectSame(withMetadata(bytes, 2, 0, (of) => ({ [compressed]: i64(numberOf(of, compressed) - 40n) })));
    await expectRefused(
      withChunk(bytes, 2, 0, (of) => edited(of, { [chunkFields.metadata]: undefined })),
      /lacks/,
    );
  });

  it('by its rows is refused', async () => {
    await expectRefused(
      withFooter(bytes, (of) => edited(of, { [fileFields.rows]: i64(6001n) })),
      /promises 6001/,
    );
    await expectRefused(
      withGroup(bytes, 1, (of) => edited(of, { [groupFields.rows]: i64(-1n) })),
      /how many rows/,
    );
    const more = withGroup(bytes, 1, (of) => edited(of, { [groupFields.rows]: i64(2049n) }));
    await expectRefused(
      withFooter(more, (of) => edited(of, { [fileFields.rows]: i64(6001n) })),
      /./,
    );
  });

  it('by its columns is refused', async () => {
    const none = { type: 9, value: { of: 12, items: [] } };
    await expectRefused(
      withGroup(bytes, 1, (of) => edited(of, { [groupFields.columns]: none })),
      /number of columns/,
    );
    await expectRefused(
      withFooter(bytes, (of) => edited(of, { [fileFields.rowGroups]: undefined })),
      /names no row groups/,
    );
    const elsewhere = { type: 8, value: Buffer.from('other.parquet') };
    await expectRefused(
      withChunk(bytes, 0, 1, (of) => edited(of, { [chunkFields.file]: elsewhere })),
      /other files/,
    );
    await expectRefused(
      withChunk(bytes, 0, 1, (of) => edited(of, { [chunkFields.crypto]: struct() })),
      /encrypted/,
    );
  });

  it('by its length, or in any of its bytes, is refused or read, and nothing else', async () => {
    const [footerBytes, tail] = [bytes.readUInt32LE(bytes.length - 8), bytes.length - 8];
    for (const length of [0, 1, footerBytes - 1, footerBytes + 1, bytes.length, 0xffffffff]) {
      const file = Buffer.from(bytes);
      file.writeUInt32LE(length, tail);
      await expectRefused(file, /./);
    }
    for (const byte of [0x1c, 0xff, 0x9c]) {
      const body = Buffer.alloc(200_000, byte);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(body.length);
      await expectRefused(Buffer.concat([Buffer.from('PAR1'), body, length, Buffer.from('PAR1')]), /footer/);
    }
    await fc.assert(
      fc.asyncProperty(fc.nat(footerBytes - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const file = Buffer.from(bytes);
        const place = tail - footerBytes + at;
        file[place] = (file[place] ?? 0) ^ by;
        const thrown: unknown = await readGroups(file).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (thrown !== undefined)
          expect((thrown as Fault).code).toMatch(/^(PARSE_ERROR|UNSUPPORTED_SCHEMA|FILE_TOO_LARGE|TOO_MANY_COLUMNS)$/);
      }),
      { numRuns: 40 },
    );
  });

  it('with a page that is damaged is refused', async () => {
    await expectRefused(Buffer.from(bytes).fill(0xff, 200, 260), /./);
  });

  it('or has a row group that is too large to be read is refused with how large it may be', async () => {
    const { code, detail } = await faultOf(readGroups(bytes, { maxWholeBytes: 5000 }));
    expect([code, detail]).toEqual(['FILE_TOO_LARGE', expect.stringContaining('Row group 1')]);
  });

  it('or has a cell that is too large names its row in the file', async () => {
    const long = "CASE WHEN range = 5000 THEN repeat('y', 200000) ELSE 'x' END";
    const file = await written(`SELECT range AS n, ${long} AS t FROM range(6000)`, ', ROW_GROUP_SIZE 2048');
    const [whole, grouped] = [
      await refusal('t.parquet', file, { maxCellBytes: 100_000 }),
      await faultOf(readGroups(file, { maxCellBytes: 100_000 })),
    ];
    expect([grouped.code, grouped.detail]).toEqual([whole.code, whole.detail]);
    expect(grouped.detail).toContain('row 5001');
  });

  it('or has too many columns is refused before anything is read', async () => {
    expect((await faultOf(readGroups(bytes, { maxColumns: 1 }))).code).toBe('TOO_MANY_COLUMNS');
  });
});
