// What a schema says of a value, as fields that are wrong: each by its pointer, in words that need no knowledge of the library.
import type * as z from 'zod';
import { ownKey } from './any-keys.ts';
import type { FieldError } from './fault.ts';

const MOST_ERRORS = 20;
const LONGEST_DETAIL = 500;

/** RFC 6901 within a fragment, e.g. `#/parts/0/etag`. */
const pointerOf = (path: readonly PropertyKey[]): string =>
  `#${path
    .map(
      (part) =>
        `/${encodeURIComponent(String(ownKey(part)).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))}`,
    )
    .join('')}`;

/** The first twenty, below `prefix`; a field that is unknown is one that is wrong. */
export const fieldErrorsOf = (error: z.ZodError, prefix: readonly string[]): FieldError[] =>
  error.issues
    .flatMap((issue): { path: PropertyKey[]; message: string }[] =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'There is no such field.' }))
        : [issue],
    )
    .slice(0, MOST_ERRORS)
    .map(({ path, message }) => ({
      pointer: pointerOf([...prefix, ...path]),
      detail: message.slice(0, LONGEST_DETAIL),
    }));

/** For `safeParse`: says of a field that is not there that it is missing, unless its schema has words of its own. */
export const plainly: z.core.$ZodErrorMap = ({ code, input }) =>
  input === undefined && (code === 'invalid_type' || code === 'invalid_value') ? 'It is missing.' : undefined;
