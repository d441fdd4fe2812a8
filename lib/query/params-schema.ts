// The values of parameters as callers send them, and as jobs keep them.
import * as z from 'zod';
import { recordOf } from '../core/any-keys.ts';

/** Characters of a statement. */
export const SQL_LENGTH = 100_000;
/** Parameters of a statement: how many, characters of a name, values of a list. */
const PARAMS = { count: 100, name: 100, items: 1000 } as const;

export const sqlText = z.string().min(1).max(SQL_LENGTH);

const plainParam = z.lazy(() =>
  z.union([z.string().max(SQL_LENGTH), z.number(), z.boolean(), z.null()], 'It is no value.'),
);
const typedParam = z.lazy(() =>
  z.strictObject({
    type: z
      .string()
      .min(1)
      .max(50)
      .meta({ description: 'E.g. DATE, DECIMAL(18,3), HUGEINT, or VARCHAR[] for an array.' }),
    value: z.union(
      [plainParam, z.array(plainParam).max(PARAMS.items)],
      'It is neither a value nor an array of values.',
    ),
  }),
);
export const paramName = z.string().min(1).max(PARAMS.name);
export const paramValue = z.lazy(() => z.union([plainParam, typedParam], 'It is neither a value nor {type, value}.'));

export const queryParams = z.lazy(() =>
  recordOf(paramName, paramValue).refine(
    (given) => Object.keys(given).length <= PARAMS.count,
    `There are more than ${PARAMS.count} parameters.`,
  ),
);
