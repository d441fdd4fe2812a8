// Rows under a head, without lines, so that they can be cut and grepped. On a narrow terminal the columns that may shrink do, widest first.
import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { type Io, paint, type Style } from './io.ts';

export interface Column<T> {
  readonly title: string;
  readonly text: (item: T) => string;
  readonly style?: (item: T) => Style | undefined;
  /** Never cut, e.g. an id. */
  readonly whole?: true;
  readonly right?: true;
  /** Left out where there are fewer than 100 columns. */
  readonly wide?: true;
}

const GAP = 2;
const LEAST = 6;
const WIDE = 100;

/** The table as text, without a newline at its end. */
export function renderTable<T>(
  io: Pick<Io, 'color' | 'columns'>,
  columns: readonly Column<T>[],
  items: readonly T[],
): string {
  const narrow = (io.columns ?? WIDE) < WIDE;
  const fitting = columns.filter(({ wide }) => !narrow || wide !== true);
  const shown = fitting.filter(({ text, whole }) => whole === true || items.some((item) => clean(text(item)) !== ''));
  const cells = items.map((item) => shown.map((column) => clean(column.text(item))));
  const widths = fitted(
    shown.map(({ title, whole }, at) => ({
      width: Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)),
      whole,
    })),
    io.columns,
  );
  const head = shown.map(({ title }, at) => paint(io, 'bold', cut(title, widths[at])));
  const table = new Table({
    head,
    colAligns: shown.map(({ right }) => (right ? 'right' : 'left')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
    chars: borderless,
  });
  for (const [row, item] of items.entries())
    table.push(shown.map(({ style }, at) => paint(io, style?.(item), cut(cells[row]?.[at] ?? '', widths[at]))));
  return table.toString().replaceAll(/[ \t]+$/gm, '');
}

const sides = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
] as const;
const inner = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'] as const;
const borderless = { ...Object.fromEntries([...sides, ...inner].map((name) => [name, ''])), middle: ' '.repeat(GAP) };

/** What a service answered must not move the cursor, nor break the row. */
const clean = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();

const cut = (text: string, most = text.length): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function fitted(columns: readonly { width: number; whole: true | undefined }[], room: number | undefined): number[] {
  const widths = columns.map(({ width }) => width);
  if (room === undefined) return widths;
  let over = widths.reduce((sum, width) => sum + width + GAP, -GAP) - room;
  while (over > 0) {
    const shrinkable = widths.map((width, at) => (columns[at]?.whole === true ? 0 : width));
    const widest = Math.max(...shrinkable);
    if (widest <= LEAST) break;
    widths[shrinkable.indexOf(widest)] = widest - 1;
    over -= 1;
  }
  return widths;
}
