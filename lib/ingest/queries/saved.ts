// Queries that people keep under a name: the SQL, and what its parameters are, each with a type and a value to begin with where they have one.
import * as z from 'zod';
import { recordOf } from '../../core/any-keys.ts';
import { type Documents, documentFamily } from '../../core/documents.ts';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, Scope } from '../../core/ids.ts';
import { paramName, paramValue, sqlText } from '../../query/params-schema.ts';
import type { QueryCheck, QueryParams } from '../../query/types.ts';

export const parameterSchema = z.lazy(() =>
  z.strictObject({
    type: z.string().min(1).max(50).optional().meta({ description: 'What its values are read as, e.g. `DATE`.' }),
    default: paramValue.optional().meta({ description: 'Used where a run gives no value.' }),
    description: z.string().max(500).optional(),
  }),
);

export const savedQuerySchema = z.lazy(() =>
  z.strictObject({
    sql: sqlText,
    description: z.string().optional(),
    parameters: recordOf(paramName, parameterSchema),
    /** Epoch ms. */
    createdAt: z.int(),
    changedAt: z.int(),
  }),
);
export type SavedQuery = z.infer<typeof savedQuerySchema>;
export type SavedParameters = SavedQuery['parameters'];

export const savedQueries = (documents: Documents) =>
  documentFamily(documents, { family: 'saved-query', schema: savedQuerySchema });

export const savedPlace = ({ tenant, workspace }: Scope, dataset: DatasetId, name: string) => ({
  tenant,
  workspace,
  group: dataset,
  name,
});

/** Throws NOT_FOUND. */
export async function savedQuery(documents: Documents, scope: Scope, dataset: DatasetId, name: string) {
  const found = await savedQueries(documents).get(savedPlace(scope, dataset, name));
  if (found === undefined) throw new Fault('NOT_FOUND', `There is no saved query ${name} in this dataset.`);
  return found;
}

/** DuckDB ignores the case of ASCII letters in the names of parameters. */
const fold = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Every parameter that the SQL takes, as it is declared. Throws SQL_PARAMETER for one that it does not take. */
export function declared(given: SavedParameters, { parameters }: QueryCheck): SavedParameters {
  const taken = new Set(parameters.map(({ name }) => fold(name)));
  const byName = new Map(Object.entries(given).map(([name, parameter]) => [fold(name), parameter]));
  const errors = Object.keys(given)
    .filter((name) => !taken.has(fold(name)))
    .map((name) => ({
      pointer: `#/parameters/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      detail: `The SQL has no parameter $${name}.`,
    }));
  if (errors.length > 0)
    throw new Fault('SQL_PARAMETER', errors.map(({ detail }) => detail).join(' '), { errors: errors.slice(0, 20) });
  return Object.fromEntries(parameters.map(({ name }) => [name, byName.get(fold(name)) ?? {}]));
}

/** The values of a run: those given, read as the declared types, and the defaults of the others. */
export function valuesFor({ parameters }: Pick<SavedQuery, 'parameters'>, given: QueryParams = {}): QueryParams {
  const names = new Map(Object.entries(parameters).map(([name, parameter]) => [fold(name), { name, ...parameter }]));
  const defaults = Object.entries(parameters).flatMap(([name, { default: value }]) =>
    value === undefined || Object.keys(given).some((each) => fold(each) === fold(name)) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(
    [...Object.entries(given), ...defaults].map(([name, value]) => {
      const type = names.get(fold(name))?.type;
      const plain = value === null || typeof value !== 'object';
      return [name, type !== undefined && plain ? { type, value } : value];
    }),
  );
}
