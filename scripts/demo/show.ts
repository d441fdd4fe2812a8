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

/** Rows under a head; long cells are cut so that a row stays on its line. */
export function table(head: readonly string[], rows: readonly (readonly unknown[])[]): void {
  const drawn = new Table({
    head: head.map((cell) => paint('bold', cell)),
    style: { head: [], border: [], compact: true },
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
  });
  for (const row of rows) drawn.push(row.map((cell) => shorten(cellText(cell), 34)));
  say(indent(drawn.toString()));
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '–';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

const shorten = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const indent = (text: string): string => text.replace(/^/gm, '  ');
