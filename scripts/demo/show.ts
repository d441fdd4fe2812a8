// What a person sees of the demo: headings, live lines and tables.
import { styleText } from 'node:util';
import Table from 'cli-table3';

const isTerminal = process.stdout.isTTY;
const paint = (style: Parameters<typeof styleText>[0], text: string) => (isTerminal ? styleText(style, text) : text);

export const say = (line = ''): void => void process.stdout.write(`${line}\n`);
export const heading = (text: string): void => say(`\n${paint('bold', text)}`);
export const done = (text: string): void => say(`  ${paint('green', '✓')} ${text}`);
export const faint = (text: string): string => paint('dim', text);
export const failed = (text: string): void => say(`  ${paint('red', '✗')} ${text}`);

/** Rows under a head; where the terminal is narrow, the widest columns give way, so that a row stays on its line. */
export function table(head: readonly string[], rows: readonly (readonly unknown[])[]): void {
  const cells = [head, ...rows].map((row) => row.map(cellText));
  const widths = fitted(head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))));
  const [top = [], ...body] = cells.map((row) => row.map((cell, column) => shorten(cell, widths[column] ?? 0)));
  const drawn = new Table({
    head: top.map((cell) => paint('bold', cell)),
    style: { head: [], border: [], compact: true },
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
  });
  drawn.push(...body);
  say(indent(drawn.toString()));
}

const defaultColumns = 120;
/** A cell's own margin and border. */
const perCell = 3;
const leastWidth = 6;

function fitted(widths: readonly number[]): number[] {
  const fit = [...widths];
  const room = (process.stdout.columns || defaultColumns) - 3 - perCell * widths.length;
  for (let over = fit.reduce((sum, width) => sum + width, 0) - room; over > 0; over--) {
    const widest = fit.indexOf(Math.max(...fit));
    fit[widest] = Math.max(leastWidth, (fit[widest] ?? 0) - 1);
  }
  return fit;
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '–';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

const shorten = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const indent = (text: string): string => text.replace(/^/gm, '  ');
