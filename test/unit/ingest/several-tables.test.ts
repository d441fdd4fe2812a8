import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../lib/core/fault.ts';
import { listTables } from '../../../lib/ingest/reading/list-tables.ts';
import { readTable } from '../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits, type ListedFile, type ReadLimits } from '../../../lib/ingest/reading/types.ts';
import { zip } from './formats/zip-writer.ts';
import { inFolder, textsOf } from './world.ts';

interface Read {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Lists the tables of a file and reads each. */
async function readAll(
  name: string,
  content: string | Uint8Array,
  limits: Partial<ReadLimits> = {},
  as?: string,
): Promise<ListedFile & { readonly read: readonly Read[] }> {
  return inFolder(async (folder) => {
    const path = join(folder, 'upload');
    await writeFile(path, content);
    const workDir = await mkdtemp(join(folder, 'work-'));
    const request = { path, name, workDir, limits: { ...defaultReadLimits, ...limits } };
    const listed = await listTables(request, as);
    expect(await readdir(workDir)).toEqual([]);
    const read: Read[] = [];
    for (const { name: table, within, entry } of listed.tables) {
      const { columns, parquetPath } = await readTable({ ...request, within, entry });
      const rows = await textsOf(workDir, parquetPath);
      read.push({ name: table, columns: columns.map((column) => column.name), rows });
    }
    return { ...listed, read };
  });
}

async function refusalOf(
  content: string | Uint8Array,
  limits: Partial<ReadLimits> = {},
  name = 't.json',
): Promise<Fault> {
  const thrown: unknown = await readAll(name, content, limits).catch((reason: unknown) => reason);
  expect(thrown).toBeInstanceOf(Fault);
  return thrown as Fault;
}

describe('a JSON object', () => {
  it('has a table for each array of objects, named below the file', async () => {
    const { read, warnings } = await readAll(
      'shop 1.json',
      '{"made": "2024", "orders": [{"id": 1}, {"id": 2}],\n "buyers": [{"name": "Åsa"}], "tags": ["a"], "none": []}',
    );
    expect(read).toEqual([
      { name: 'shop_1__orders', columns: ['id'], rows: [['1'], ['2']] },
      { name: 'shop_1__buyers', columns: ['name'], rows: [['Åsa']] },
    ]);
    expect(warnings).toMatchObject([{ code: 'KEYS_LEFT_OUT', count: 3 }]);
    expect(warnings[0]?.message).toContain('"made", "tags", "none"');
  });

  it('with one array of objects is one table with the name of the file, or the name that is asked for', async () => {
    const content = '{"data": [{"a": 1}]}';
    const names = async (as?: string) => (await readAll('t.json', content, {}, as)).tables.map(({ name }) => name);
    expect([await names(), await names('sales')]).toEqual([['t'], ['sales']]);
  });

  it('is read the same packed, in UTF-16 and behind a byte order mark', async () => {
    const text = '{"a": [{"x": "é"}], "b": [{"y": 2}, {"y": 3}]}';
    const plain = (await readAll('t.json', text)).read;
    expect((await readAll('t.json.gz', gzipSync(text))).read).toEqual(plain);
    expect((await readAll('t.json', Buffer.from(`\ufeff${text}`, 'utf16le'))).read).toEqual(plain);
    expect((await readAll('t.json', `\ufeff${text}`)).read).toEqual(plain);
  });

  it('has names that stay apart where an identifier cannot tell them', async () => {
    const keys = ['a b', 'a-b', 'A_B', 'x'.repeat(200), `${'x'.repeat(200)}y`];
    const content = JSON.stringify(Object.fromEntries(keys.map((key) => [key, [{ n: 1 }]])));
    const names = (await readAll('t.json', content)).tables.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(['t__a_b', 't__a_b_2', 't__A_B_3']);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(5);
    expect(names.every((name) => name.length <= 128)).toBe(true);
  });

  it('holds what each of its arrays holds alone, wherever the windows of reading fall', async () => {
    const record = fc.dictionary(fc.constantFrom('a', 'b', 'c"d', 'é'), fc.oneof(fc.string(), fc.integer()), {
      minKeys: 1,
    });
    const arrays = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.array(record, { minLength: 1 })), {
      selector: ([key]) => key,
      minLength: 2,
      maxLength: 3,
    });
    const spaces = fc.constantFrom('', '\n ', ' '.repeat(1 << 20));
    await fc.assert(
      fc.asyncProperty(arrays, spaces, async (sections, space) => {
        fc.pre(sections.every(([key]) => key.isWellFormed() && JSON.stringify(key).isWellFormed()));
        const members = sections.map(([key, rows]) => `${JSON.stringify(key)}:${space}${JSON.stringify(rows)}`);
        const { read } = await readAll('t.json', `{${members.join(`${space},${space}`)}${space}}`);
        expect(read).toHaveLength(sections.length);
        for (const [index, [, rows]] of sections.entries()) {
          const alone = (await readAll('t.json', JSON.stringify(rows))).read[0];
          expect({ ...read[index], name: 't' }).toEqual(alone);
        }
      }),
      { numRuns: 6 },
    );
  }, 60_000);

  it.each([
    [
      'without an array of objects',
      '{"a": 1, "b": [1, 2]}',
      'PARSE_ERROR',
      /one object without an array of objects.* jsonPath/,
    ],
    ['with a key twice', '{"a": [{"x": 1}],\n"a": [{"x": 2}]}', 'PARSE_ERROR', /Line 2, .*"a" stands twice/],
    ['that is cut', '{"a": [{"x": 1}, {"x"', 'PARSE_ERROR', /ends inside/],
    ['that is cut between keys', '{"a": [{"x": 1}],', 'PARSE_ERROR', /ends inside/],
    ['followed by text', '{"a": [{"x": 1}]} {', 'PARSE_ERROR', /text follows/],
    ['without a comma', '{"a": [{"x": 1} {"x": 2}]}', 'PARSE_ERROR', /"," or "]" is missing/],
    ['with one wrong record', '{"a": [{"x": 1}], "b": [{"x": 01}]}', 'PARSE_ERROR', /offset 31/],
  ])('%s is refused', async (_name, content, code, detail) => {
    const fault = await refusalOf(content);
    expect([fault.code, fault.detail]).toEqual([code, expect.stringMatching(detail)]);
  });

  it('with more tables than a job may publish is refused, with both figures', async () => {
    const many = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, [{ n }]])));
    const fault = await refusalOf(many(46));
    expect([fault.code, fault.extra]).toEqual(['TOO_MANY_TABLES', { tables: 46, limit: 45 }]);
  });

  it('with a value beside its tables that is longer than a record may be is refused', async () => {
    const fault = await refusalOf(`{"note": "${'x'.repeat(3 << 20)}", "a": [{"x": 1}]}`, { maxRecordBytes: 1 << 20 });
    expect(fault.code).toBe('LINE_TOO_LONG');
  });
});

describe('an archive of several files', () => {
  const csv = 'a,b\n1,x\n';

  it('has a table for each of them, named below the archive, of whatever format', async () => {
    const archive = zip(
      { name: 'data/' },
      { name: 'data/2024.csv', data: csv },
      { name: 'data/people.ndjson', data: '{"n":"Åsa"}\n', method: 0 },
      { name: 'data/t.tsv', data: 'a\tb\n1\t2\n' },
      { name: 'shop.json', data: '{"orders":[{"id":1}],"buyers":[{"id":2}]}' },
    );
    const { read, warnings, format, compression, tables } = await readAll('export 1.zip', archive);
    expect(read).toEqual([
      { name: 'export_1__t_2024', columns: ['a', 'b'], rows: [['1', 'x']] },
      { name: 'export_1__people', columns: ['n'], rows: [['Åsa']] },
      { name: 'export_1__t', columns: ['a', 'b'], rows: [['1', '2']] },
      { name: 'export_1__shop__orders', columns: ['id'], rows: [['1']] },
      { name: 'export_1__shop__buyers', columns: ['id'], rows: [['2']] },
    ]);
    expect([warnings, format, compression]).toEqual([[], 'archive', 'zip']);
    expect(tables.map(({ entry }) => entry?.format)).toEqual(['csv', 'ndjson', 'tsv', 'json', 'json']);
  });

  it('takes the name that the caller gives for the beginning of theirs', async () => {
    const { tables } = await readAll('t.zip', zip({ name: 'a.csv', data: csv }, { name: 'b.csv', data: csv }), {}, 'x');
    expect(tables.map(({ name }) => name)).toEqual(['x__a', 'x__b']);
  });

  it('leaves out what is hidden, what systems add and what is no table, and says so', async () => {
    const archive = zip(
      { name: 'a.csv', data: csv },
      { name: 'b.csv', data: csv },
      { name: '__MACOSX/._a.csv', data: 'x' },
      { name: '.hidden.csv', data: 'x' },
      { name: '.git/c.csv', data: 'x' },
      { name: 'README.md', data: 'x' },
    );
    const { tables, warnings } = await readAll('t.zip', archive);
    expect(tables.map(({ name }) => name)).toEqual(['t__a', 't__b']);
    expect(warnings).toMatchObject([{ code: 'ENTRIES_LEFT_OUT', count: 4 }]);
    expect(warnings[0]?.message).toContain('"README.md"');
  });

  it('with one table in it is that table; a file beside it that is none is a warning, what a system adds is not', async () => {
    const names = async (...beside: string[]) => {
      const { tables, warnings } = await readAll(
        't.zip',
        zip({ name: 'a.csv', data: csv }, ...beside.map((name) => ({ name, data: 'x' }))),
      );
      return [...tables.map(({ name }) => name), ...warnings.map(({ code }) => code)];
    };
    expect(await names('__MACOSX/._a.csv', '.DS_Store')).toEqual(['a']);
    expect(await names('LICENCE', 'notes.txt')).toEqual(['a', 'ENTRIES_LEFT_OUT']);
  });

  it('tells files of one name apart by their folders, and of one path by a number', async () => {
    const name = async (...paths: string[]) =>
      (await readAll('t.zip', zip(...paths.map((path) => ({ name: path, data: csv }))))).tables.map(
        (table) => table.name,
      );
    expect(await name('north/sales.csv', 'south/sales.csv', 'x.csv')).toEqual([
      't__north_sales',
      't__south_sales',
      't__x',
    ]);
    expect(await name('a.csv', 'a.csv')).toEqual(['t__a', 't__a_2']);
    expect(await name('a b.csv', 'a-b.csv')).toEqual(['t__a_b', 't__a_b_2']);
  });

  const good = { name: 'a.csv', data: csv };
  it.each<[string, Buffer, string, RegExp]>([
    ['an archive', zip(good, { name: 'b.zip', data: zip(good) }), 'ARCHIVE_NESTED', /In "b.zip"/],
    ['a compressed file', zip(good, { name: 'b.csv.gz', data: gzipSync(csv) }), 'ARCHIVE_NESTED', /In "b.csv.gz"/],
    ['a tar archive', zip(good, { name: 'b.tar', data: 'x' }), 'ARCHIVE_NESTED', /In "b.tar"/],
    [
      'gzip under another name',
      zip(good, { name: 'b.csv', data: gzipSync(csv) }),
      'FORMAT_MISMATCH',
      /In "b.csv": .*gzip/,
    ],
    ['a name that leads up', zip(good, { name: '../b.csv', data: csv }), 'ARCHIVE_ENTRY_NAME', /"\.\.\/b.csv"/],
    ['an encrypted file', zip(good, { name: 'b.csv', data: csv, flags: 1 }), 'ARCHIVE_ENCRYPTED', /"b.csv"/],
    [
      'a wrong checksum',
      zip(good, { name: 'b.csv', data: csv, crc: 7 }),
      'COMPRESSION_CORRUPT',
      /In "b.csv": .*checksum/,
    ],
    ['a wrong size', zip(good, { name: 'b.csv', data: csv, size: 3 }), 'COMPRESSION_CORRUPT', /In "b.csv"/],
    ['an empty file', zip(good, { name: 'b.csv' }), 'EMPTY_FILE', /In "b.csv"/],
    [
      'a page of HTML',
      zip(good, { name: 'b.csv', data: '<!doctype html><html>' }),
      'FORMAT_MISMATCH',
      /In "b.csv": .*HTML/,
    ],
    ['a record that is broken', zip(good, { name: 'b.csv', data: 'a\n"1' }), 'PARSE_ERROR', /In "b.csv": Line 2/],
  ])('with %s is refused, and says where', async (_name, archive, code, detail) => {
    const fault = await refusalOf(archive, {}, 't.zip');
    expect([fault.code, fault.detail]).toEqual([code, expect.stringMatching(detail)]);
  });

  it('with more files than a job may publish is refused before one is read', async () => {
    const many = zip(...Array.from({ length: 46 }, (_, n) => ({ name: `${n}.csv`, data: csv, crc: 7 })));
    expect((await refusalOf(many, {}, 't.zip')).code).toBe('TOO_MANY_TABLES');
  });

  it('with files that are more together than one may be is refused before one is read', async () => {
    const two = zip({ name: 'a.csv', data: csv, crc: 7 }, { name: 'b.csv', data: csv });
    expect((await refusalOf(two, { maxDecompressedBytes: 12 }, 't.zip')).code).toBe('DECOMPRESSION_LIMIT');
  });

  it('holds what each of its files holds alone', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '1', '"', ',', 'é', ' ', '0') });
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(table, { minLength: 2, maxLength: 4 }), fc.constantFrom(0, 8), async (all, method) => {
        const texts = all.map((rows) => `a,b\n${rows.map((row) => row.map(quoted).join(',')).join('\n')}\n`);
        const { read } = await readAll('t.zip', zip(...texts.map((data, n) => ({ name: `f${n}.csv`, data, method }))));
        for (const [n, text] of texts.entries())
          expect(read[n]).toEqual({ ...(await readAll('t.csv', text)).read[0], name: `t__f${n}` });
      }),
      { numRuns: 6 },
    );
  }, 60_000);
});
