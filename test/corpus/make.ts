// Writes the files of the corpus that no hand writes: archives, compressed text and Parquet. `node --conditions=millrace-source test/corpus/make.ts`
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type Engine, withEngine } from '../../lib/ingest/engine/engine.ts';
import { literal } from '../../lib/ingest/engine/sql.ts';
import { defaultReadLimits } from '../../lib/ingest/reading/types.ts';
import { zip } from '../unit/ingest/formats/zip-writer.ts';

const table = 'id,zip\n1,02116\n2,90210\n';
const more = '3,00501\n';
const lines = `n,t\n${Array.from({ length: 3000 }, (_, n) => `${n},${n * 7919}`).join('\n')}\n`;
const packed = gzipSync(lines);

const archives: Readonly<Record<string, Uint8Array>> = {
  'members.csv.gz': Buffer.concat([gzipSync(table), gzipSync(more)]),
  'cut.csv.gz': packed.subarray(0, packed.length >> 1),
  'garbage-behind.csv.gz': Buffer.concat([gzipSync(table), Buffer.from('rest of another file')]),
  'twice.csv.gz': gzipSync(gzipSync(table)),
  'wrong-byte.csv.gz': Buffer.from(packed).fill(7, 4000, 4010),
  'empty.csv.gz': gzipSync(''),
  'frames.csv.zst': Buffer.concat([zstdCompressSync(table), zstdCompressSync(more)]),
  'cut.csv.zst': zstdCompressSync(lines).subarray(0, 3000),
  'macosx.zip': zip({ name: 'data.csv', data: table }, { name: '__MACOSX/._data.csv', data: '\0\x05\x16\x07' }),
  'folder.zip': zip({ name: 'out/' }, { name: 'out/data.csv', data: table }),
  'stored.csv.zip': zip({ name: 'data.csv', data: table, method: 0 }),
  'two-files.zip': zip({ name: 'a.csv', data: table }, { name: 'b.csv', data: table }),
  'climbs.zip': zip({ name: '../../etc/data.csv', data: table }),
  'absolute.zip': zip({ name: '/etc/data.csv', data: table }),
  'other-local-name.zip': zip({ name: 'data.csv', localName: '../data.csv', data: table }),
  'archive-inside.zip': zip({ name: 'data.csv.gz', data: gzipSync(table) }),
  'encrypted.zip': zip({ name: 'data.csv', data: table, flags: 1 }),
  'lzma.zip': zip({ name: 'data.csv', data: table, method: 14 }),
  'wrong-crc.zip': zip({ name: 'data.csv', data: table, crc: 1 }),
  'wrong-size.zip': zip({ name: 'data.csv', data: table, size: 5 }),
  'no-entry.zip': zip(),
  'names-differ.json.zip': zip({ name: 'data.csv', data: table }),
};

/** SELECT and the options of its COPY. */
const selects: Readonly<Record<string, readonly [string, string?]>> = {
  'nanoseconds.parquet': ["SELECT '2024-05-01 00:00:00.123456789'::TIMESTAMP_NS AS t"],
  'far-years.parquet': ["SELECT unnest(['3023-07-14 07:38:45.418688', '0001-01-01'])::TIMESTAMP AS t"],
  'unsigned.parquet': ['SELECT 18446744073709551615::UBIGINT AS u'],
  'decimal-38.parquet': [`SELECT '${'9'.repeat(36)}.99'::DECIMAL(38,2) AS d`],
  'nested.parquet': ["SELECT [1, NULL, 3] AS l, {'a': 1, 'b': [{'c': 'x'}]} AS s, MAP {'k': 2} AS m"],
  'not-a-number.parquet': ["SELECT unnest(['nan', 'inf', '-0.0', NULL])::DOUBLE AS v"],
  'no-rows.parquet': ['SELECT 1 AS a WHERE false'],
  'leading-zeros.parquet': ["SELECT '007' AS code, ' x ' AS t, '' AS e"],
  'marks.parquet': ["SELECT chr(65279) || 'x' AS bom, 'a' || chr(0) || 'b' AS nul"],
  'zones.parquet': ["SELECT '2024-05-01 00:00:00+02'::TIMESTAMPTZ AS z, '12:30'::TIME AS t, '2024-05-01'::DATE AS d"],
  'bytes.parquet': ["SELECT '\\x00\\xff'::BLOB AS b"],
  'names.parquet': ['SELECT 1 AS "a b", 2 AS "ü;""", 3 AS "select"'],
  'zstd.parquet': ['SELECT range AS n FROM range(3)', 'COMPRESSION zstd'],
  'brotli.parquet': ['SELECT range AS n FROM range(3)', 'COMPRESSION brotli'],
  'groups.parquet': ['SELECT range AS n FROM range(5000)', 'ROW_GROUP_SIZE 2048'],
};

async function parquet(engine: Engine, folder: string): Promise<Record<string, Buffer>> {
  const made: Record<string, Buffer> = {};
  for (const [name, [select, option]] of Object.entries(selects)) {
    const path = join(folder, name);
    const options = ['FORMAT parquet', ...(option === undefined ? [] : [option])].join(', ');
    await engine.run(`COPY (${select}) TO ${literal(path)} (${options})`);
    made[name] = await readFile(path);
  }
  const { 'groups.parquet': groups = Buffer.alloc(0), ...whole } = made;
  const lying = changedValue(whole['nanoseconds.parquet'] ?? Buffer.alloc(0));
  return { ...whole, ...damaged(groups), 'statistics-lie.parquet': lying };
}

/** A bit of the value in its page; the statistics keep the old one. */
function changedValue(whole: Buffer): Buffer {
  const value = Buffer.alloc(8);
  value.writeBigInt64LE(1_714_521_600_123_456_789n);
  const changed = Buffer.from(whole);
  const at = changed.indexOf(value) + 7;
  changed[at] = (changed[at] ?? 0) ^ 8;
  return changed;
}

/** What happens to files on their way. */
function damaged(whole: Buffer): Record<string, Buffer> {
  const footerTooLong = Buffer.from(whole);
  footerTooLong.writeUInt32LE(whole.length * 10, whole.length - 8);
  return {
    'cut.parquet': whole.subarray(0, whole.length - 100),
    'head-alone.parquet': whole.subarray(0, 4),
    'footer-too-long.parquet': footerTooLong,
    'page-damaged.parquet': Buffer.from(whole).fill(0xff, 8, 40),
    'front-missing.parquet': Buffer.concat([whole.subarray(0, 4), whole.subarray(2000)]),
    'encrypted.parquet': Buffer.concat([Buffer.from('PARE'), whole.subarray(4, whole.length - 4), Buffer.from('PARE')]),
  };
}

async function save(area: string, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const folder = join(import.meta.dirname, 'files', area);
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
}

const workDir = await mkdtemp(join(tmpdir(), 'millrace-corpus-'));
try {
  await save('archives', archives);
  const made = await withEngine({ workDir, limits: defaultReadLimits }, (engine) => parquet(engine, workDir));
  await save('parquet', made);
} finally {
  await rm(workDir, { recursive: true });
}
