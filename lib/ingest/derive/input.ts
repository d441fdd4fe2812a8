import * as z from 'zod';
import { queryParams, sqlText } from '../../query/params-schema.ts';
import { idOf } from '../id-of.ts';
import { tableName } from '../table-name.ts';

export const DERIVE_KIND = 'derive';

/** Whether a table that is derived already gets another definition. */
export const deriveModes = ['create', 'replace'] as const;

/** What a job of the kind `derive` is submitted with: a definition, or, without SQL, the name of a table whose definition is run again. */
export const deriveInput = z.lazy(() =>
  z
    .strictObject({
      dataset: idOf('ds'),
      table: tableName,
      sql: sqlText.optional(),
      params: queryParams.optional(),
      description: z.string().max(2000).optional(),
      /** `create` when absent. */
      mode: z.enum(deriveModes).optional(),
      /** Of a refresh: also where nothing has changed. */
      force: z.boolean().optional(),
    })
    .refine(({ sql, force }) => sql === undefined || force === undefined, {
      path: ['force'],
      error: 'It goes without `sql`: a definition is always run.',
    })
    .refine(
      ({ sql, params, description, mode }) => sql !== undefined || (params ?? description ?? mode) === undefined,
      {
        path: ['sql'],
        error: 'What is said of a definition goes with its `sql`.',
      },
    ),
);
export type DeriveInput = z.infer<typeof deriveInput>;
