// Failures of one cause share a fingerprint: their code, kind and stage, and their message without what differs from case to case.
import { createHash } from 'node:crypto';
import type { JobError } from '../row.ts';

/**
 * In this order: what is quoted may hold anything, a path holds numbers, an id holds digits. A function, since each start of a process
 * would compile them all.
 */
const variable = (): readonly (readonly [RegExp, string])[] => [
  [/(?<![\p{L}\p{N}])(["'`])(?:(?!\1).)*\1(?![\p{L}\p{N}])/gsu, '<quoted>'],
  [/“[^”]*”|«[^»]*»|„[^“]*“/gu, '<quoted>'],
  [/\b[a-z][a-z0-9+.-]*:\/\/\S+/giu, '<url>'],
  [/\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/gu, '<time>'],
  [/\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\b/gu, '<time>'],
  [/(?:[A-Za-z]:)?[\w.@~%+=-]*(?:[\\/][\w.@~%+=-]+)+[\\/]?/gu, '<path>'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/giu, '<id>'],
  [/\b[a-z]{1,8}_[0-9A-HJKMNP-TV-Z]{26}\b/gu, '<id>'],
  [/\b0x[0-9a-f]+\b/giu, '<hex>'],
  [/\b(?=[a-f]*\d)[0-9a-f]{8,}\b/giu, '<hex>'],
  [/\b(?=[A-Za-z_-]*\d)[\w-]{16,}\b/gu, '<id>'],
  [/(?<!\w)[+-]?\d+(?:[.,_]\d+)*(?:e[+-]?\d+)?|\d+/giu, '<n>'],
  [/\s+/gu, ' '],
];

/** Characters: a detail is cut where it is kept, so the end of a long one is not the same from case to case. */
const LONGEST = 200;

/** A message without its numbers, ids, hexadecimals, quoted parts, paths, addresses and times. */
export const normalised = (message: string): string =>
  variable()
    .reduce((text, [pattern, name]) => text.replace(pattern, name), message)
    .trim()
    .slice(0, LONGEST);

/** 16 hexadecimal characters of SHA-256. */
export function fingerprintOf(kind: string, { code, stage, detail }: JobError): string {
  const cause = JSON.stringify([code, kind, stage ?? null, normalised(detail)]);
  return createHash('sha256').update(cause).digest('hex').slice(0, 16);
}

/** The error that a job of this kind ends with, so that failures of one cause are found together. */
export const finalError = ({ kind }: { readonly kind: string }, error: JobError): JobError => ({
  ...error,
  fingerprint: fingerprintOf(kind, error),
});
