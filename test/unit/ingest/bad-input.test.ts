import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { FaultCode } from '../../../lib/core/fault.ts';
import { withEngine } from '../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../lib/ingest/engine/sql.ts';
import { readTable } from '../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits } from '../../../lib/ingest/reading/types.ts';
import { inFolder, refusal } from './world.ts';

const parquetBytes = (): Promise<Buffer> =>
  inFolder(async (workDir) => {
    const path = join(workDir, 'p.parquet');
    await withEngine({ workDir, limits: defaultReadLimits }, (engine) =>
      engine.run(
        `COPY (SELECT range AS n, md5(range::VARCHAR) AS t FROM range(20000)) TO ${literal(path)} (FORMAT parquet)`,
      ),
    );
    return readFile(path);
  });

const gzipped = gzipSync(Array.from({ length: 5000 }, (_, index) => `${index},${index * 7919}`).join('\n'));
const secondMemberDamaged = Buffer.concat([gzipped, Buffer.from('3,4\n5,6\n')]);
const padded = Buffer.concat([gzipped, Buffer.alloc(8)]);
const mixed = Buffer.from('a,b\n1,Espa\xc3\xb1a\n2,caf\xe9\n', 'latin1');
const cyrillic = Buffer.from('a,b\n1,\xcf\xf0\xe8\xe2\xe5\xf2\n', 'latin1');

/** Name, content, code, and the place that the detail must name. */
const refused: readonly [string, string, string | Buffer, FaultCode, RegExp][] = [
  ['an empty file', 't.csv', '', 'EMPTY_FILE', /0 bytes/],
  ['a byte order mark alone', 't.csv', '\ufeff', 'EMPTY_FILE', /no text/],
  ['blank lines alone', 't.csv', '\n\n', 'EMPTY_FILE', /blank/],
  ['an empty gzip', 't.csv.gz', gzipSync(''), 'EMPTY_FILE', /0 bytes/],
  ['a gzip cut short', 't.csv.gz', gzipped.subarray(0, gzipped.length >> 1), 'COMPRESSION_CORRUPT', /unexpected end/],
  ['a gzip with a damaged second member', 't.csv.gz', secondMemberDamaged, 'COMPRESSION_CORRUPT', /incorrect header/],
  ['a gzip with bytes behind it', 't.csv.gz', padded, 'COMPRESSION_CORRUPT', /from offset \d+ on/],
  ['a gzip with a wrong byte', 't.csv.gz', Buffer.from(gzipped).fill(7, 9000, 9010), 'COMPRESSION_CORRUPT', /gzip/],
  [
    'UTF-8 with a line of Latin-1',
    't.csv',
    mixed,
    'ENCODING_INVALID',
    /^Line 3: The byte 0xe9 at offset 19 is not UTF-8, though the text at offset 10 is: the file mixes/,
  ],
  [
    'an encoding that is not looked for',
    't.csv',
    cyrillic,
    'ENCODING_INVALID',
    /^Line 2: The byte 0xcf at offset 6 .* looks like no other encoding/,
  ],
  [
    'half a UTF-16 character',
    't.csv',
    Buffer.from([0xff, 0xfe, 97, 0, 44]),
    'ENCODING_INVALID',
    /offset 4 is not utf-16le/,
  ],
  [
    'half a surrogate pair in UTF-16',
    't.csv',
    Buffer.from([0xff, 0xfe, 97, 0, 0, 0xd8, 98, 0]),
    'ENCODING_INVALID',
    /offset 4 is not utf-16le/,
  ],
  ['a quote never closed', 't.csv', 'a,b\n1,2\n3,"4\n5,6\n', 'PARSE_ERROR', /Line 3, byte offset 10:/],
  ['text after a closing quote', 't.csv', 'a,b\n1,"2"x\n', 'PARSE_ERROR', /Line 2, byte offset 9:/],
  ['text after a closing quote in an uneven .tsv', 't.tsv', 'a\tb\n"1"x\n', 'PARSE_ERROR', /Line 2/],
  ['a line of 10 MB', 't.csv', 'x'.repeat(10 << 20), 'LINE_TOO_LONG', /line 1 is longer than 4194304/],
  [
    'a cell of more than 10 MiB',
    't.csv',
    `a\n1\n${'x'.repeat((10 << 20) + 1)}\n2\n`,
    'CELL_TOO_LARGE',
    /Line 3, .*column 1 \("a"\)/,
  ],
  [
    'a quote never closed in 11 MiB',
    't.csv',
    `a,b\n1,"${'x\n'.repeat(11 << 19)}`,
    'CELL_TOO_LARGE',
    /Line 2, .*column 2/,
  ],
  ['JSON cut in half', 't.json', '[{"a": 1},\n {"a": [1, 2', 'PARSE_ERROR', /Line 2, .*ends inside/],
  ['JSON cut between records', 't.json', '[{"a": 1},\n', 'PARSE_ERROR', /Line 2, .*ends inside/],
  ['JSON without a comma', 't.json', '[{"a": 1} {"a": 2}]', 'PARSE_ERROR', /offset 10: "," or "]"/],
  ['JSON with a comma too many', 't.json', '[{"a": 1,}]', 'PARSE_ERROR', /offset 9: a key/],
  ['JSON followed by text', 't.json', '[{"a": 1}] x', 'PARSE_ERROR', /offset 11: text follows/],
  ['one JSON object', 't.json', '{"a": 1}', 'PARSE_ERROR', /one object; a table is an array/],
  ['one JSON value', 't.json', '"a"', 'PARSE_ERROR', /one value; a table is an array/],
  ['an array of numbers', 't.json', '[1, 2]', 'PARSE_ERROR', /record 1 is not an object/],
  ['an empty array', 't.json', '[]', 'EMPTY_FILE', /no records/],
  ['records without keys', 't.json', '[{}, {}]', 'EMPTY_FILE', /no record has a key/i],
  ['a wrong number', 't.json', '[{"a": 01}]', 'PARSE_ERROR', /offset 8/],
  ['NaN', 't.json', '[{"a": NaN}]', 'PARSE_ERROR', /offset 7/],
  ['a bare line end in a text', 't.json', '[{"a": "x\ny"}]', 'PARSE_ERROR', /line end/],
  ['half a surrogate pair', 't.json', '[{"a": "x"}, {"a": "\\ud83d"}]', 'PARSE_ERROR', /surrogate/],
  ['nesting without end', 't.json', `[{"a": ${'['.repeat(5000)}`, 'PARSE_ERROR', /nested deeper/],
  ['NDJSON with one bad line', 't.ndjson', '{"a": 1}\n{"a": \n{"a": 3}\n', 'PARSE_ERROR', /^Line 2,/],
  ['NDJSON with a cut line', 't.ndjson', '{"a": 1}\n{"a": 2, "b"\n{"a": 3}\n', 'PARSE_ERROR', /^Line 2,/],
  ['NDJSON with text behind an object', 't.ndjson', '{"a": 1}\n{"a": 2} 3\n', 'PARSE_ERROR', /^Line 2, .*text follows/],
  [
    'NDJSON with a line that is no object',
    't.ndjson',
    '{"a": 1}\n[2]\n',
    'PARSE_ERROR',
    /^Line 2, .*record 2 is not an object/,
  ],
  [
    'a value of more than 10 MiB',
    't.ndjson',
    `{"b": 1, "a": "${'x'.repeat(10 << 20)}"}\n`,
    'CELL_TOO_LARGE',
    /Line 1, .*key "a"/,
  ],
  ['a key of more than 4 MiB', 't.ndjson', `{"${'x'.repeat(4 << 20)}": 1}\n`, 'PARSE_ERROR', /a key takes more/],
];

describe('what cannot be read whole is refused whole', () => {
  it.each(refused)('%s', async (_, name, content, code, place) => {
    const fault = await refusal(name, content);
    expect(fault.code).toBe(code);
    expect(fault.detail).toMatch(place);
  });

  it('a gzip that expands beyond the limit', async () => {
    const bomb = gzipSync(`a\n${'0\n'.repeat(1 << 20)}`);
    expect((await refusal('t.csv.gz', bomb, { maxDecompressedBytes: 1 << 20 })).code).toBe('DECOMPRESSION_LIMIT');
  });

  it('rows that padding makes too large', async () => {
    const sparse = `${'c,'.repeat(99)}c\n${'1\n'.repeat(20_000)}`;
    expect((await refusal('t.csv', sparse, { maxDecompressedBytes: 1 << 20 })).code).toBe('DECOMPRESSION_LIMIT');
  });

  it('more columns than the limit', async () => {
    const limits = { maxColumns: 3 };
    expect((await refusal('t.csv', 'a,b,c,d\n', limits)).code).toBe('TOO_MANY_COLUMNS');
    expect((await refusal('t.csv', 'a,b\n1,2,3,4\n', limits)).code).toBe('TOO_MANY_COLUMNS');
    // What follows is not read: it would be another fault.
    expect((await refusal('t.csv', 'a,b,c,d\n1,2,3,"4\n', limits)).code).toBe('TOO_MANY_COLUMNS');
    expect((await refusal('t.json', '[{"a":1,"b":2},{"c":1,"d":2}]', limits)).code).toBe('TOO_MANY_COLUMNS');
    expect((await refusal('t.parquet', await parquetBytes(), { maxColumns: 1 })).code).toBe('TOO_MANY_COLUMNS');
  });

  it('Parquet that is cut short, or damaged in the middle, or at its end', async () => {
    const bytes = await parquetBytes();
    const cut = await refusal('t.parquet', bytes.subarray(0, bytes.length >> 1));
    expect([cut.code, cut.extra['byteOffset']]).toEqual(['PARSE_ERROR', bytes.length >> 1]);
    expect((await refusal('t.parquet', Buffer.from(bytes).fill(0xff, 300, 900))).code).toBe('PARSE_ERROR');
    expect((await refusal('t.parquet', Buffer.from(bytes).fill(0xff, bytes.length - 200, bytes.length - 8))).code).toBe(
      'PARSE_ERROR',
    );
    expect((await refusal('t.parquet', 'PAR1PAR1')).code).toBe('PARSE_ERROR');
  });

  it('names no path of this machine', async () => {
    const bytes = await parquetBytes();
    const fault = await refusal('t.parquet', Buffer.from(bytes).fill(0xff, 300, 900));
    expect(fault.detail).not.toContain('upload');
  });

  it('ends early when it is aborted, with the reason given', async () => {
    await inFolder(async (folder) => {
      const workDir = await mkdtemp(join(folder, 'work-'));
      const signal = AbortSignal.abort(new Error('lease lost'));
      const path = join(import.meta.dirname, 'bad-input.test.ts');
      await expect(readTable({ path, name: 't.csv', workDir, limits: defaultReadLimits, signal })).rejects.toThrow(
        'lease lost',
      );
    });
  });
});
