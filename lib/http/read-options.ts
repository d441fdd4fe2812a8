// How an upload is to be read, as a query carries it: the options are JSON in one parameter.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import { tableName } from '../ingest/input.ts';
import { type ReadOptions, readOptionsSchema } from '../ingest/options.ts';
import { validated } from './validate.ts';

const MAX_LENGTH = 8192;

export const readingQuery = {
  table: tableName
    .optional()
    .meta({ description: 'Names the table otherwise than the file; of several tables, begins their names.' }),
  options: z
    .string()
    .max(MAX_LENGTH)
    .optional()
    .meta({ description: 'How to read the file: `ReadOptions` as JSON, e.g. `{"delimiter":"^","headerRow":3}`.' }),
};

/** So that a pointer says where the options stand. */
const inQuery = z.lazy(() => z.strictObject({ query: z.strictObject({ options: readOptionsSchema }) }));

/** Throws the Fault VALIDATION_FAILED, with pointers below `#/query/options`. */
export function optionsIn(text: string | undefined): ReadOptions | undefined {
  if (text === undefined) return undefined;
  return validated(inQuery, { query: { options: jsonIn(text) } }, '').query.options;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const errors = [{ pointer: '#/query/options', detail: 'It is no JSON.' }];
    throw new Fault('VALIDATION_FAILED', 'The options are no JSON.', { errors, cause });
  }
}
