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

/** Whether there is room for what an operator can do without. */
export const isNarrow = ({ columns = WIDE }: Pick<Io, 'columns'>): boolean => columns < WIDE;

/** The table as text, without a newline at its end. */
export function renderTable<T>(
  io: Pick<Io, 'color' | 'columns'>,
  columns: readonly Column<T>[],
  items: readonly T[],
): string {
  const fitting = columns.filter(({ wide }) => !isNarrow(io) || wide !== true);
  const shown = fitting.filter(({ text, whole }) => whole === true || items.some((item) => clean(text(item)) !== ''));
  const cells = items.map((item) => shown.map((column) => clean(column.text(item))));
  const widths = fitted(
    shown.map(({ title, whole }, at) => ({
      width: Math.max(title.length, ...cells.map((row) => widthOf(row[at] ?? ''))),
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
export const clean = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();

const graphemes = new Intl.Segmenter();
/** What a terminal draws over two columns: the scripts of East Asia and emoji. */
const wideGrapheme =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const parts = (text: string) =>
  Array.from(graphemes.segment(text), ({ segment }) => ({ segment, width: wideGrapheme.test(segment) ? 2 : 1 }));
/** Columns of a terminal that a text takes. */
const widthOf = (text: string): number => parts(text).reduce((sum, { width }) => sum + width, 0);

function cut(text: string, most = Infinity): string {
  if (widthOf(text) <= most) return text;
  let [kept, room] = ['', most - 1];
  for (const { segment, width } of parts(text)) {
    if ((room -= width) < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

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
