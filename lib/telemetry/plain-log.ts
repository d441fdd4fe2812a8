// The log of processes that a person watches: a line each, the fields behind the sentence.
import type { Log } from '../core/log.ts';
import { type Clock, toIso } from '../core/time.ts';

/** Writes lines such as `2026-11-29T15:00:00.000Z warn A doorbell is heard again later. job=job_01…`. */
export function createPlainLog(clock: Clock, write: (line: string) => void): Log {
  const line =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
      write([toIso(clock.now()), level, message, ...Object.entries(fields).map(fieldText)].join(' '));
  return { info: line('info'), warn: line('warn'), error: line('error') };
}

const fieldText = ([name, value]: [string, unknown]): string => `${name}=${valueText(value)}`;

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Error ? value.message : JSON.stringify(value);
}
