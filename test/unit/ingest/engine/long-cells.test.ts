// Cells of up to 10 MiB are read as any others, from every format of text; one that is larger, or too many of them in a record, is found while
// the file is read.
import { describe, expect, it } from 'vitest';
import { readBack } from '../world.ts';

const MIB = 2 ** 20;
const TEN = 10 * MIB;
/** Long texts that differ, with what a CSV has to quote. */
const texts = (size: number, count: number): string[] =>
  Array.from({ length: count }, (_, row) =>
    `${row}\n"é" ${String.fromCodePoint(97 + row).repeat(size)}`.slice(0, size),
  );
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const refusal = (name: string, content: string, limits = {}) =>
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

  it('in a table of more columns than a slice has are kept', async () => {
    const names = Array.from({ length: 600 }, (_, column) => `c${column}`);
    const cells = (row: number) =>
      names.map((_, column) => (column % 50 === 0 ? `${row}${'y'.repeat(9000)}` : String(column)));
    const lines = Array.from({ length: 60 }, (_, row) => cells(row).join(','));
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

  it('is a record of many such cells', async () => {
    const line = Array.from({ length: 8 }, () => 'x'.repeat(4000)).join(',');
    const limits = { maxCellBytes: 5000, maxRecordBytes: 30_000 };
    const others = 'a,b,c,d,e,f,g,h\n';
    expect(await refusal('t.csv', `${others}${line}\n${'1,2,3,4,5,6,7,8\n'.repeat(100_000)}`, limits)).toBeUndefined();
    const wide = Array.from({ length: 8 }, () => 'x'.repeat(400_000)).join(',');
    const fault = await refusal('t.csv', `${others}${wide}\n`, { maxRecordBytes: 1_000_000 });
    expect(fault).toMatchObject({ code: 'LINE_TOO_LONG', extra: { line: 2 } });
  });
});
