// What commands share: how a handler is bound to one, and the options that several of them take.
import { InvalidArgumentError, Option } from 'commander';
import type { Context } from './context.ts';

/** Commander gives what it parsed by the arguments and options of the command: a handler's parameters are as those say. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type On = (work: (context: Context, ...args: any[]) => Promise<void>) => (...args: unknown[]) => Promise<void>;

export interface Limit {
  readonly limit: number;
}
export interface Reason {
  readonly reason?: string;
}

export function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError('It is not a whole number above 0.');
  return Number(text);
}

export const limitOption = () => new Option('-n, --limit <count>', 'rows at most').argParser(whole).default(30);
export const reasonOption = () => new Option('--reason <text>', 'kept with it');
