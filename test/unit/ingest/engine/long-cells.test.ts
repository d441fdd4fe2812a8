// Cells of up to 10 MiB are read as any others, from every format of text; one that is larger, or too many of them in a record, is found while
// the file is read.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../../lib/ingest/engine/sql.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { startIngestApp } from '../../../support/ingest-app.ts';
import { arrayOf, avro, long, record, types } from '../binary/avro-writer.ts';
import { inFolder, readBack } from '../world.ts';

const MIB = 2 ** 20;
const TEN = 10 * MIB;
/** Long texts that differ, with what a CSV has to quote. */
const texts = (size: number, count: number): string[] =>
  Array.from({ length: count }, (_, row) =>
    `${row}\n"é" ${String.fromCodePoint(97 + row).repeat(size)}`.slice(0, size),
  );
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const refusal = (name: string, content: string | Buffer, limits = {}) =>
  readBack(name, content, limits).then(
    () => undefined,
    (fault: unknown) => fault,
  );

/** The same rows of a number and a text, in each format. */
const formats: Readonly<Record<string, (values: readonly string[]) => string>> = {
  't.csv': (values) => `id,t\n${values.map((value, id) => `${id},${quoted(value)}\n`).join('')}`,
  't.ndjson': (values) => values.map((t, id) => `${JSON.stringify({ id, t })}\n`).join(''),
  't.json': (values) => JSON.stringify(values.map((t, id) => ({ id, t }))),
};

describe('long cells', () => {
  it.each(Object.entries(formats))('of many sizes keep their values and their order: %s', async (name, write) => {
    const sizes = [3, 100_000, 10, 2 * MIB, 20, 40_000, 5, MIB, MIB, 3 * MIB, 8];
    const values = sizes.flatMap((size) => [...texts(size, 1), 'between']);
    const { rows, schema } = await readBack(name, write(values));
    expect(schema).toEqual(['id BIGINT', 't VARCHAR']);
    expect(rows.map(([, t]) => t) as unknown).toEqual(values);
    expect(rows.map(([id]) => Number(id))).toEqual([...values.keys()]);
  });

  it('without quotes are kept as well', async () => {
    const values = Array.from({ length: 40 }, (_, row) => String(row % 10).repeat(200_000 + row));
    const { rows } = await readBack('t.csv', `a,b\n${values.map((value) => `${value}x,1\n`).join('')}`);
    expect(rows.map(([a]) => a)).toEqual(values.map((value) => `${value}x`));
  });

  it('with line ends of CR and LF are kept wherever a block of the file ends', async () => {
    // The CR of the second row is the last byte of the first MiB.
    const first = `a,b\r\n${'x'.repeat(100_000)},1\r\n`;
    const second = `${'y'.repeat(MIB - first.length - 3)},2\r\n`;
    const { rows } = await readBack('t.csv', `${first}${second}z,3\r\n`);
    expect(rows.map(([a, b]) => `${a?.length} ${b}`)).toEqual(['100000 1', `${MIB - first.length - 3} 2`, '1 3']);
  });

  it('in a table of more columns than a slice has are kept', async () => {
    const names = Array.from({ length: 300 }, (_, column) => `c${column}`);
    const cells = (row: number) =>
      names.map((_, column) => (column % 50 === 0 ? `${row}${'y'.repeat(30_000)}` : String(column)));
    const lines = Array.from({ length: 30 }, (_, row) => cells(row).join(','));
    const { rows } = await readBack('t.csv', `${names.join(',')}\n${lines.join('\n')}\n`);
    expect(rows.map((row) => row.join(','))).toEqual(lines);
  });

  it('of 10 MiB are read, and their types beside them found', async () => {
    const long = (letter: string): string => letter.repeat(TEN);
    const { rows, schema } = await readBack('t.csv', `n,t\n1,${long('a')}\n2.5,${long('b')}\n3,\n`);
    expect(schema).toEqual(['n DECIMAL(18,1)', 't VARCHAR']);
    expect(rows.map(([, t]) => t?.length)).toEqual([TEN, TEN, undefined]);
  });
});

describe('what is too large', () => {
  it.each(Object.entries(formats))('is a cell of its own, with line and column: %s', async (name, write) => {
    const fault = await refusal(name, write(['a', 'b'.repeat(5000), 'c']), { maxCellBytes: 5000 });
    expect(fault).toMatchObject({
      code: 'CELL_TOO_LARGE',
      extra: {
        line: name === 't.json' ? 1 : name === 't.csv' ? 3 : 2,
        limit: 5000,
        column: expect.stringContaining('"t"'),
      },
    });
    expect(await refusal(name, write(['a', 'b'.repeat(4990)]), { maxCellBytes: 5000 })).toBeUndefined();
  });

  it('is a cell of a Parquet file', () =>
    inFolder(async (workDir) => {
      const path = join(workDir, 'a.parquet');
      const select = "SELECT i AS n, 'é' AS u, repeat(chr(97 + i::INT), i * 1000) AS t FROM range(8) t(i)";
      await withEngine({ workDir, limits: defaultReadLimits }, (engine) =>
        engine.run(`COPY (${select}) TO ${literal(path)} (FORMAT parquet)`),
      );
      const content = await readFile(path);
      const fault = await refusal('t.parquet', content, { maxCellBytes: 5500 });
      expect(fault).toMatchObject({ code: 'CELL_TOO_LARGE', extra: { column: 't', row: 7, limit: 5500 } });
      expect(await refusal('t.parquet', content, { maxCellBytes: 7000 })).toBeUndefined();
    }));

  it('is a value of Avro, all that it holds together', async () => {
    const list = arrayOf(types.string);
    const schema = record({ n: 'int', t: list.schema });
    const row = (count: number): Buffer =>
      Buffer.concat([long(1), list.write(Array(count).fill('x'.repeat(1000)) as never)]);
    const file = (count: number): Buffer =>
      avro({ schema, blocks: [{ rows: 2, data: Buffer.concat([row(1), row(count)]) }] });
    expect(await refusal('t.avro', file(6), { maxCellBytes: 5500 })).toMatchObject({
      code: 'CELL_TOO_LARGE',
      extra: { column: 't', row: 2, limit: 5500 },
    });
    expect(await refusal('t.avro', file(5), { maxCellBytes: 5500 })).toBeUndefined();
  });

  it('is a record of many such cells', async () => {
    const wide = Array.from({ length: 8 }, () => 'x'.repeat(400_000)).join(',');
    const fault = await refusal('t.csv', `a,b,c,d,e,f,g,h\n${wide}\n`, { maxRecordBytes: 1_000_000 });
    expect(fault).toMatchObject({ code: 'LINE_TOO_LONG', extra: { line: 2 } });
  });
});

describe('a table with a cell of 10 MiB', () => {
  it('is published, profiled, looked through, found and queried, and shows no more of it than of any other', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset('d');
    const long = `kari@example.org ${'z'.repeat(TEN - 100)}`;
    const job = await app.upload(dataset, 'letters.csv.gz', gzipSync(`n,body\n1,short\n2,${long}\n3,"kari, too"\n`));
    expect(job).toMatchObject({ status: 'succeeded' });
    const { letters } = await app.tables(dataset);
    expect(JSON.stringify(letters).length).toBeLessThan(20_000);
    expect(letters.degraded).toBeUndefined();
    const sql = 'SELECT max(length(body)) AS longest, count(*) AS n FROM letters';
    expect((await app.query(dataset, sql)).body.rows).toEqual([[TEN - 83, 3]]);
    const { status, body } = await app.query(dataset, 'SELECT body FROM letters');
    expect([status, body.code]).toEqual([422, 'RESULT_TOO_LARGE']);
    const { body: found } = await app.send('GET', '/v1/search?q=letters');
    expect(JSON.stringify(found)).toContain('letters');
  });
});
