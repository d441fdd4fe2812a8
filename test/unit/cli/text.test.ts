import { describe, expect, it } from 'vitest';
import { parseDuration, relative, shortDuration, timeOf } from '../../../lib/cli/format.ts';
import { type Column, renderTable } from '../../../lib/cli/table.ts';

const now = Date.UTC(2026, 0, 1);

describe('times', () => {
  it('are short enough for a column', () => {
    const told = [0, 999, 1000, 1500, 9_949, 61_000, 119_000, 121_000, 7_100_000, 7_300_000, 200_000_000];
    const shown = ['0ms', '999ms', '1s', '1.5s', '9.9s', '61s', '119s', '2m', '118m', '2h', '2d'];
    expect(told.map(shortDuration)).toEqual(shown);
    expect(relative(new Date(now - 5000).toISOString(), now)).toBe('5s ago');
    expect(relative(new Date(now + 5000).toISOString(), now)).toBe('in 5s');
    expect(relative(undefined, now)).toBe('–');
  });

  it('are typed as a length of time from now, or as ISO 8601, and nothing else', () => {
    expect(['90s', '1.5m', '2h', '3d', '5ms'].map(parseDuration)).toEqual([90_000, 90_000, 7_200_000, 259_200_000, 5]);
    expect(['', '5', '5 m', '-5m', '5w', 'soon'].map(parseDuration)).toEqual(Array.from({ length: 6 }));
    expect(timeOf('15m', now, -1)).toBe('2025-12-31T23:45:00.000Z');
    expect(timeOf('15m', now, 1)).toBe('2026-01-01T00:15:00.000Z');
    expect(timeOf('2026-02-03T04:05:06Z', now, -1)).toBe('2026-02-03T04:05:06.000Z');
    for (const text of ['soon', '', '999999999d']) expect(() => timeOf(text, now, 1)).toThrow(`${text} is no time`);
  });
});

describe('a table', () => {
  interface Item {
    readonly id: string;
    readonly note: string;
  }
  const columns: readonly Column<Item>[] = [
    { title: 'id', text: ({ id }: Item) => id, whole: true, style: () => 'red' },
    { title: 'note', text: ({ note }: Item) => note },
    { title: 'none', text: () => '' },
  ];
  const items = [{ id: 'job_1234567890', note: 'x'.repeat(60) }];
  const plain = { color: false, columns: 40 };

  it('fits the terminal by cutting what may be cut, and never an id', () => {
    const lines = renderTable(plain, columns, items).split('\n');
    expect(lines.map((line) => line.length)).toEqual([20, 40]);
    expect(lines[1]).toBe(`job_1234567890  ${'x'.repeat(23)}…`);
    expect(renderTable({ ...plain, columns: 5 }, columns, items)).toContain('job_1234567890');
    expect(renderTable({ ...plain, columns: undefined }, columns, items)).toContain('x'.repeat(60));
  });

  it('counts what a terminal draws over two columns as two', () => {
    const wide = [
      { id: '日本語', note: '日本語の名前は長い' },
      { id: 'abcdef', note: 'x' },
    ];
    const lines = renderTable({ ...plain, columns: 19 }, columns, wide).split('\n');
    expect(lines).toEqual(['id      note', '日本語  日本語の名…', 'abcdef  x']);
  });

  it('leaves out columns that say nothing, and colours only where it may', () => {
    expect(renderTable(plain, columns, items)).not.toContain('none');
    expect(renderTable(plain, columns, items)).not.toContain('\u001b');
    expect(renderTable({ ...plain, color: true }, columns, items)).toContain('\u001b[31mjob_1234567890');
  });

  it('lets no text move the cursor or break its row', () => {
    const evil = [{ id: 'a', note: 'one\ntwo\u001b[2J\u0007\tthree' }];
    expect(renderTable(plain, columns, evil).split('\n')[1]).toBe('a   one two three');
  });
});
