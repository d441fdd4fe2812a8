// Schemas on the way in: what does not fit is one problem that names every wrong field.
import type * as z from 'zod';
import { Fault } from '../core/fault.ts';
import { fieldErrorsOf, plainly } from '../core/field-errors.ts';

const onceEach: z.core.$ZodErrorMap = (issue) =>
  Array.isArray(issue.input) ? 'It is given more than once.' : plainly(issue);

/** `value` as `schema` reads it, or VALIDATION_FAILED; `prefix` tells a query parameter (`query`) from a field of the body. */
export function validated<T>(schema: z.ZodType<T>, value: unknown, prefix: '' | 'query'): T {
  const result = schema.safeParse(value, { error: prefix === 'query' ? onceEach : plainly });
  if (result.success) return result.data;
  const errors = fieldErrorsOf(result.error, prefix === '' ? [] : [prefix]);
  const first = errors[0];
  throw new Fault('VALIDATION_FAILED', first ? `${first.pointer}: ${first.detail}` : 'It does not fit.', { errors });
}

/** Path parameters: an id of a wrong form names nothing, so it is not found. */
export function validParams<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Fault('NOT_FOUND', 'The path names nothing that could exist.');
}

/** Each parameter once is its text; one that is repeated stays a list, which no schema takes. */
export const queryOf = (url: URL): Record<string, string | string[]> =>
  Object.fromEntries(
    [...new Set(url.searchParams.keys())].map((name) => {
      const values = url.searchParams.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
