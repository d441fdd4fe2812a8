// The command line of a script: `--help` prints what it takes; what it does not understand it says with that, and exits 2.
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type ApiScope, defaultScopes, scopes } from '../lib/http/keys.ts';

/** `script` as `npm run` names it. What `parse()` is not told it reads from the process. */
export const commandLine = (script: string, description: string): Command =>
  new Command(`npm run ${script} --`)
    .description(description)
    .showHelpAfterError()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

/** `--port N`, else MILLRACE_PORT, else `fallback`. */
export const portOption = (fallback: number): Option =>
  new Option('--port <number>', 'where it listens').env('MILLRACE_PORT').argParser(portOf).default(fallback);

/** `--kinds FILE`, else MILLRACE_KINDS; absolute. */
export const kindsOption = (): Option =>
  new Option('--kinds <file>', 'your own kinds, which this file exports as `kinds`')
    .env('MILLRACE_KINDS')
    .argParser(fileOf);

/** `--scopes LIST`: undefined where left out. */
export const scopesOption = (): Option =>
  new Option('--scopes <list>', `what it may, with commas between; default: ${defaultScopes.join(',')}`).argParser(
    scopesOf,
  );

function scopesOf(text: string): ApiScope[] {
  const named = text.split(',').map((each) => scopes.find((scope) => scope === each.trim()));
  if (named.includes(undefined)) throw new InvalidArgumentError(`The scopes are ${scopes.join(', ')}.`);
  return named.filter((scope) => scope !== undefined);
}

function fileOf(text: string): string {
  if (text === '') throw new InvalidArgumentError('It names no file.');
  return resolve(text);
}

export function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('It is not a number from 1 to 65535.');
}

/** A whole number from `least`, of at most 15 digits. */
export const wholeFrom =
  (least: number) =>
  (text: string): number => {
    if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`It is not a whole number from ${least}.`);
  };
