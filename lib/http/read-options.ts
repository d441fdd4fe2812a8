// How an upload is to be read and what becomes of its rows, as a query carries it (options are JSON in one parameter) and as a body does.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import type { IngestInput } from '../ingest/input.ts';
import { ingestMode, keyColumns, type OnConflict, onConflicts } from '../ingest/modes.ts';
import { readOptionsSchema } from '../ingest/options.ts';
import { KEYS_MISFIT, keysFit } from '../ingest/policy.ts';
import { fileColumnName, tableName } from '../ingest/table-name.ts';
import { validated } from './validate.ts';

/** What its caller says about a file, beside its bytes. */
export interface Reading extends Pick<IngestInput, 'table' | 'options' | 'mode' | 'keys' | 'fileColumn'> {
  readonly onConflict?: OnConflict | undefined;
}

const MAX_LENGTH = 8192;

const table = tableName
  .optional()
  .meta({ description: 'Names the table otherwise than the file; of several tables, begins their names.' });
const mode = ingestMode.optional().meta({
  description:
    'What becomes of the rows that are published: `replace` (default) them; `append` to them; `upsert`: rows of the file take the place of those with the same `keys`. The latter two need `table`.',
});

const onConflict = z.enum(onConflicts).optional().meta({
  description:
    'While another file of the table is under way, by the name that `table` or the file gives: `supersede` (default) runs both, and the one received later is the one published; `refuse` answers 409 TABLE_BUSY where that one was sent with `refuse` too, and waits for it otherwise; `queue` waits for it.',
});

/** Of several files that are one table. */
export const fileColumn = fileColumnName.optional().meta({
  description: 'Adds a column of this name, which holds the name of the file that a row is from.',
});

/** Fields of a body. */
export const readingFields = {
  table,
  options: readOptionsSchema.optional().meta({ description: 'How to read the file.' }),
  mode,
  onConflict,
  keys: keyColumns.optional().meta({ description: 'With `upsert`: the columns that say which row is which.' }),
};

/** Parameters of a query. */
export const readingQuery = {
  table,
  options: z
    .string()
    .max(MAX_LENGTH)
    .optional()
    .meta({ description: 'How to read the file: `ReadOptions` as JSON, e.g. `{"delimiter":"^","headerRow":3}`.' }),
  mode,
  onConflict,
  keys: z
    .string()
    .max(MAX_LENGTH)
    .optional()
    .meta({ description: 'With `upsert`: the columns that say which row is which, as a JSON array of names.' }),
};

/** So that a pointer says where they stand. */
const inQuery = z.lazy(() =>
  z.strictObject({ query: z.strictObject({ options: readOptionsSchema.optional(), keys: keyColumns.optional() }) }),
);

/** Throws the Fault VALIDATION_FAILED, with pointers below `#/query`. */
export function readingInQuery(
  query: {
    readonly [K in keyof typeof readingQuery]?: z.infer<(typeof readingQuery)[K]>;
  } & Pick<Reading, 'fileColumn'>,
): Reading {
  const json = { options: jsonIn('options', query.options), keys: jsonIn('keys', query.keys) };
  const { options, keys } = validated(inQuery, { query: json }, '').query;
  const { table: name, mode: asked, onConflict: meets, fileColumn: ofFiles } = query;
  return readingOf({ table: name, mode: asked, onConflict: meets, options, keys, fileColumn: ofFiles }, 'query');
}

/** Without what was left out. Throws the Fault VALIDATION_FAILED where its parts do not go together. */
export function readingOf(
  { table: name, options, mode: asked, keys, onConflict: meets, fileColumn: ofFiles }: Reading,
  where = '',
): Reading {
  const adds = asked === 'append' || asked === 'upsert';
  if (adds && name === undefined) throw misfit(where, 'table', `With mode ${asked}, table names what is added to.`);
  if (!keysFit({ mode: asked, keys })) throw misfit(where, 'keys', KEYS_MISFIT);
  return {
    ...(name !== undefined && { table: name }),
    ...(options !== undefined && { options }),
    ...(asked !== undefined && { mode: asked }),
    ...(keys !== undefined && { keys }),
    ...(meets !== undefined && { onConflict: meets }),
    ...(ofFiles !== undefined && { fileColumn: ofFiles }),
  };
}

export function misfit(where: string, field: string, detail: string): Fault {
  const pointer = `#/${where === '' ? '' : `${where}/`}${field}`;
  return new Fault('VALIDATION_FAILED', detail, { errors: [{ pointer, detail }] });
}

function jsonIn(name: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const errors = [{ pointer: `#/query/${name}`, detail: 'It is no JSON.' }];
    throw new Fault('VALIDATION_FAILED', `The ${name} are no JSON.`, { errors, cause });
  }
}
