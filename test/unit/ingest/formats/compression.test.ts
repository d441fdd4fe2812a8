import { randomFillSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault, type FaultCode } from '../../../../lib/core/fault.ts';
import { expand } from '../../../../lib/ingest/formats/compression/expand.ts';
import { compressionOfContent } from '../../../../lib/ingest/formats/compression/kinds.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { inFolder, readBack, refusal } from '../world.ts';
import { bzip2 } from './bzip2-writer.ts';
import { zip } from './zip-writer.ts';

const skippable = Buffer.from('502a4d180400000061626364', 'hex');
const writers = {
  gzip: (data: Uint8Array) => gzipSync(data),
  zip: (data: Uint8Array) => zip({ name: 't.csv', data }),
  bzip2,
  // Without a checksum, as Node writes it by default, no reader can tell damage.
  zstd: (data: Uint8Array) => zstdCompressSync(data, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
} as const;
type Kind = keyof typeof writers;
const kinds = Object.keys(writers) as Kind[];
const suffixes: Record<Kind, string> = { gzip: 'gz', zip: 'zip', bzip2: 'bz2', zstd: 'zst' };

const expanded = (compression: Kind, content: Uint8Array, limits = defaultReadLimits): Promise<Buffer> =>
  inFolder(async (workDir) => {
    const path = join(workDir, 'upload');
    await writeFile(path, content);
    return readFile(await expand({ path, compression }, { workDir, limits }));
  });

const faultOf = (compression: Kind, content: Uint8Array, limits = defaultReadLimits): Promise<Fault> =>
  expanded(compression, content, limits).then(
    () => expect.fail('it was read'),
    (thrown: unknown) => {
      expect(thrown).toBeInstanceOf(Fault);
      return thrown as Fault;
    },
  );

const table = Buffer.from(
  `a,b\n${Array.from({ length: 3000 }, (_, at) => `${at},${(at * 7919) % 1009}`).join('\n')}\n`,
);
/** What real tools wrote: `bzip2`, twice in a row as pbzip2 does, for the text `a,b\n1,x\n`. */
const realBzip2 = Buffer.from('QlpoOTFBWSZTWdR78W4AAALZgAAQAAQgADAAAEAgACGmmaDAKBULC7kinChIaj34twA=', 'base64');

describe('what is compressed', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.uint8Array({ maxLength: 3 }).map((few) => Buffer.alloc(few.length * 400, few)),
    ),
    { maxLength: 4 },
  );

  it.each(kinds)('comes back byte by byte from %s', async (kind) => {
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        const data = Buffer.concat(parts);
        expect((await expanded(kind, writers[kind](data))).equals(data)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it.each(['gzip', 'bzip2', 'zstd'] as const)('comes back from several parts of %s in a row', async (kind) => {
    const parts = [table, Buffer.alloc(0), Buffer.from('1,2\n'), table];
    expect((await expanded(kind, Buffer.concat(parts.map(writers[kind])))).equals(Buffer.concat(parts))).toBe(true);
  });

  it('comes back from what bzip2 itself wrote', async () => {
    expect((await expanded('bzip2', Buffer.concat([realBzip2, realBzip2]))).toString()).toBe('a,b\n1,x\na,b\n1,x\n');
  });

  it('comes back from frames of zstd with others between them that hold no data', async () => {
    const content = Buffer.concat([skippable, zstdCompressSync(table), skippable, zstdCompressSync('x'), skippable]);
    expect(compressionOfContent(content)).toBe('zstd');
    expect((await expanded('zstd', content)).equals(Buffer.concat([table, Buffer.from('x')]))).toBe(true);
  });

  it.each(kinds)('becomes a table from %s', async (kind) => {
    const read = await readBack(`t.csv.${suffixes[kind]}`, writers[kind](table));
    expect([read.compression, read.schema, read.rowCount]).toEqual([kind, ['a BIGINT', 'b BIGINT'], 3000]);
  });
});

describe('damage', () => {
  it.each(kinds)('is never read as something else in %s, wherever a byte is lost or altered', async (kind) => {
    const whole = writers[kind](table);
    const places = fc.integer({ min: 0, max: whole.length - 1 });
    const damaged = fc.oneof(
      places.map((at) => whole.subarray(0, at)),
      fc.tuple(places, fc.integer({ min: 1, max: 255 })).map(([at, flip]) => {
        const copy = Buffer.from(whole);
        copy[at] = (copy[at] ?? 0) ^ flip;
        return copy;
      }),
    );
    await fc.assert(
      fc.asyncProperty(damaged, async (content) => {
        const outcome = await expanded(kind, content).catch((thrown: unknown) => thrown);
        if (outcome instanceof Buffer) expect(outcome.equals(table)).toBe(true);
        else expect(outcome).toBeInstanceOf(Fault);
      }),
      { numRuns: 100 },
    );
  });

  it.each(['gzip', 'bzip2', 'zstd'] as const)('is what stands behind %s', async (kind) => {
    for (const rest of ['\0\0\0\0', 'garbage', '1']) {
      const fault = await faultOf(kind, Buffer.concat([writers[kind](table), Buffer.from(rest)]));
      expect(fault.code).toBe('COMPRESSION_CORRUPT');
    }
  });

  it('is a frame of zstd that is cut short, one without data too', async () => {
    const frame = zstdCompressSync(table);
    for (const cut of [frame.subarray(0, -9), Buffer.concat([frame, skippable.subarray(0, -1)])]) {
      expect((await faultOf('zstd', cut)).detail).toBe('zstd: the data is cut short.');
    }
  });

  it('is named with its place', async () => {
    const behind = (kind: 'gzip' | 'bzip2' | 'zstd') => Buffer.concat([writers[kind](table), Buffer.from('\0\0\0\0')]);
    for (const kind of ['gzip', 'bzip2', 'zstd'] as const) {
      const { detail } = await faultOf(kind, behind(kind));
      expect(detail).toBe(`${kind}: the bytes from offset ${writers[kind](table).length} on are no ${kind} data.`);
    }
  });
});

describe('what expands too far', () => {
  const limits = { ...defaultReadLimits, maxDecompressedBytes: 100_000 };

  it.each(kinds)('is refused while it is written, in %s', async (kind) => {
    const bomb = writers[kind](Buffer.alloc(200_000, 'a'));
    const fault = await faultOf(kind, bomb, limits);
    expect([fault.code, fault.extra['limit'], fault.extra['compressedBytes']]).toEqual([
      'DECOMPRESSION_LIMIT',
      100_000,
      bomb.length,
    ]);
  });

  it('is refused by its ratio beyond 64 MiB, and both figures are said', async () => {
    const block = zstdCompressSync(Buffer.alloc(17 << 20, 'a'));
    const four = Buffer.concat([block, block, block, block]);
    const fault = await faultOf('zstd', four);
    expect(fault.code).toBe('DECOMPRESSION_LIMIT');
    expect(fault.detail).toContain(`200 times`);
    expect(fault.detail).toContain(`${5 * 2 ** 30} bytes`);
    expect((await expanded('zstd', Buffer.concat([block, block, block]))).length).toBe(51 << 20);
  });

  it('is not what expands less than its ratio', async () => {
    const dense = Buffer.concat([Buffer.alloc(65 << 20), randomFillSync(Buffer.alloc(400_000))]);
    expect((await expanded('zstd', zstdCompressSync(dense))).length).toBe(dense.length);
  });

  it('is refused for the window it needs, before it is given', async () => {
    const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 18 << 3, 1, 0, 0]);
    const fault = await faultOf('zstd', header);
    expect([fault.code, fault.detail]).toEqual(['DECOMPRESSION_LIMIT', expect.stringContaining('2^28')]);
  });
});

describe('a zip archive', () => {
  const csv = 'a,b\n1,x\n';
  const refused: readonly [string, Buffer, FaultCode, RegExp][] = [
    ['without a file', zip({ name: 'd/' }), 'EMPTY_FILE', /no file/],
    [
      'with two files',
      zip({ name: 'a.csv', data: csv }, { name: 'b.csv', data: csv }),
      'ARCHIVE_SEVERAL_FILES',
      /2 files or folders: "a.csv", "b.csv"\./,
    ],
    [
      'with many files',
      zip(...Array.from({ length: 1200 }, (_, at) => ({ name: `${at}.csv`, method: 0 }))),
      'ARCHIVE_SEVERAL_FILES',
      /1200 files or folders: "0.csv", .*"9.csv", 1190 more/,
    ],
    [
      'with folders beyond number',
      zip(...Array.from({ length: 1001 }, (_, at) => ({ name: `${at}/` })), { name: 'a.csv', data: csv }),
      'ARCHIVE_SEVERAL_FILES',
      /1002 files or folders: 1002 more/,
    ],
    ['that is encrypted', zip({ name: 'a.csv', data: csv, flags: 1 }), 'ARCHIVE_ENCRYPTED', /"a.csv" is encrypted/],
    ['that is strongly encrypted', zip({ name: 'a.csv', data: csv, flags: 0x41 }), 'ARCHIVE_ENCRYPTED', /encrypted/],
    ['in an archive', zip({ name: 'a.zip', data: zip({ name: 'a.csv', data: csv }) }), 'ARCHIVE_NESTED', /"a.zip"/],
    ['with gzip in it', zip({ name: 'a.csv.gz', data: gzipSync(csv) }), 'ARCHIVE_NESTED', /"a.csv.gz"/],
    [
      'with gzip in it under another name',
      zip({ name: 'a.csv', data: gzipSync(csv) }),
      'ARCHIVE_NESTED',
      /archive or compressed/,
    ],
    ['that leads up', zip({ name: '../a.csv', data: csv }), 'ARCHIVE_ENTRY_NAME', /"\.\.\/a\.csv"/],
    ['that leads up in between', zip({ name: 'x/../../a.csv', data: csv }), 'ARCHIVE_ENTRY_NAME', /plain path/],
    ['that leads to the root', zip({ name: '/etc/a.csv', data: csv }), 'ARCHIVE_ENTRY_NAME', /"\/etc/],
    ['that leads to a drive', zip({ name: 'C:/a.csv', data: csv }), 'ARCHIVE_ENTRY_NAME', /"C:/],
    ['with backslashes', zip({ name: '..\\a.csv', data: csv }), 'ARCHIVE_ENTRY_NAME', /plain path/],
    ['with a NUL in the name', zip({ name: 'a.csv\0.png', data: csv }), 'ARCHIVE_ENTRY_NAME', /plain path/],
    ['with an endless name', zip({ name: `${'x'.repeat(300)}.csv`, data: csv }), 'ARCHIVE_ENTRY_NAME', /plain path/],
    ['of another method', zip({ name: 'a.csv', data: csv, method: 14 }), 'ARCHIVE_METHOD', /LZMA/],
    [
      'with two names for its file',
      zip({ name: 'a.csv', localName: 'b.csv', data: csv }),
      'COMPRESSION_CORRUPT',
      /"a.csv" in the archive's list/,
    ],
    ['with a wrong checksum', zip({ name: 'a.csv', data: csv, crc: 7 }), 'COMPRESSION_CORRUPT', /checksum/],
    ['that says too small a size', zip({ name: 'a.csv', data: csv, size: 3 }), 'COMPRESSION_CORRUPT', /too many bytes/],
    [
      'that says too large a size',
      zip({ name: 'a.csv', data: csv, size: 3000 }),
      'COMPRESSION_CORRUPT',
      /not enough bytes/,
    ],
    [
      'cut short',
      zip({ name: 'a.csv', data: csv }).subarray(0, 60),
      'COMPRESSION_CORRUPT',
      /zip: End of central directory/,
    ],
    ['of another format than its name says', zip({ name: 'a.json', data: '[{"a":1}]' }), 'FORMAT_MISMATCH', /json/],
    ['with a file of an unknown format', zip({ name: 'a.xyz', data: csv }), 'FORMAT_UNKNOWN', /"xyz"/],
  ];

  it.each(refused)('%s is refused', async (_case, content, code, detail) => {
    const fault = await refusal(/another format/.test(_case) ? 't.csv.zip' : 't.zip', content);
    expect(fault.code).toBe(code);
    expect(fault.detail).toMatch(detail);
  });

  it.each([
    ['its file', 'sales.zip', zip({ name: 'people.csv', data: csv })],
    ['a file in a folder', 'sales.zip', zip({ name: 'd/' }, { name: 'd/people.csv', data: csv })],
    [
      'what macOS adds',
      'sales.zip',
      zip(
        { name: 'people.csv', data: csv },
        { name: '__MACOSX/._people.csv', data: '\0' },
        { name: '.DS_Store', data: '\0' },
      ),
    ],
    ['a file that is only stored', 'sales.zip', zip({ name: 'people.csv', data: csv, method: 0 })],
    ['a name that says the format', 'people.csv.zip', zip({ name: 'data', data: csv })],
  ])('stands for %s', async (_case, name, content) => {
    expect((await readBack(name, content)).rows).toEqual([['1', 'x']]);
  });
});
