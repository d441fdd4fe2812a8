// Where the command writes and what it may assume of the terminal. Data goes to `out`; progress and complaints to `err`.
import { styleText } from 'node:util';

export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Width to fit tables into; undefined where nothing needs to fit. */
  readonly columns: number | undefined;
  /** Colours, and lines that are drawn again: only on a terminal. */
  readonly color: boolean;
  readonly isLive: boolean;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  readStdin(): Promise<string>;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta';

/** Text in a style where colours are on. */
export const paint = (io: Pick<Io, 'color'>, style: Style | undefined, text: string): string =>
  io.color && style !== undefined ? styleText(style, text, { validateStream: false }) : text;

const statusStyles: Readonly<Record<string, Style>> = {
  running: 'cyan',
  queued: 'yellow',
  parked: 'magenta',
  succeeded: 'green',
  active: 'green',
  paused: 'yellow',
  disabled: 'red',
  failed: 'red',
  dead: 'red',
  cancelled: 'dim',
};
export const statusStyle = (status: string): Style | undefined => statusStyles[status];
