// The values of a statement's `$name` parameters. They are bound to the prepared statement and never become part of its text.
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  INTEGER,
  LIST,
  listValue,
  SQLNULL,
  VARCHAR,
} from '@duckdb/node-api';
import { Fault, type FieldError } from '../core/fault.ts';
import { parseDuckDbError } from './errors.ts';
import { type ParamType, paramType, paramTypeNames } from './param-types.ts';
import { fold } from './scope.ts';
import { typeName } from './type-names.ts';
import type { PlainParam, QueryParams, TypedParam } from './types.ts';

interface Bound {
  readonly value: DuckDBValue;
  readonly type: DuckDBType;
}

/** RFC 6901, e.g. `#/params/from`. */
const pointer = (name: string): string =>
  `#/params/${encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))}`;

const refusal = (errors: readonly FieldError[]): Fault =>
  new Fault('SQL_PARAMETER', errors.map(({ detail }) => detail).join(' '), { errors });

/** Throws SQL_PARAMETER unless `params` names exactly what the statement takes; names ignore the case of ASCII letters. */
export function checkNames(taken: readonly string[], params: QueryParams): void {
  const given = Map.groupBy(Object.keys(params), fold);
  const wanted = new Map(taken.map((name) => [fold(name), name]));
  const missing = [...wanted].filter(([name]) => !given.has(name));
  const unused = [...given].filter(([name]) => !wanted.has(name));
  const twice = [...given].filter(([, names]) => names.length > 1);
  const errors = [
    ...missing.map(([, name]) => ({ pointer: pointer(name), detail: `The parameter $${name} is missing.` })),
    ...unused.flatMap(([, [name = '']]) => ({ pointer: pointer(name), detail: `The SQL has no parameter $${name}.` })),
    ...twice.map(([, [name = '']]) => ({ pointer: pointer(name), detail: `The parameter $${name} is given twice.` })),
  ];
  if (errors.length > 0) throw refusal(errors.slice(0, 20));
}

/** Binds every value under the name that the statement has for it. Throws SQL_PARAMETER for one that its type does not keep. */
export async function bindParams(
  connection: DuckDBConnection,
  statement: DuckDBPreparedStatement,
  params: QueryParams,
): Promise<void> {
  const places = parametersOf(statement);
  const values = new Map<string, DuckDBValue>();
  const types = new Map<string, DuckDBType>();
  for (const [given, param] of Object.entries(params)) {
    const place = places.find(({ name }) => fold(name) === fold(given));
    if (place === undefined) continue;
    const { value, type } = await boundOf(connection, given, param);
    const expected = place.type === null ? undefined : paramType(place.type);
    // DuckDB reads a text where a date or number is wanted as that, and would round it where it does not fit.
    if (typeof param === 'string' && expected) await castText(connection, given, expected, [param]);
    values.set(place.name, value);
    types.set(place.name, type);
  }
  statement.bind(Object.fromEntries(values), Object.fromEntries(types));
}

/** What the statement takes, in order; `type` is null where it follows from the value that is given. */
export const parametersOf = (statement: DuckDBPreparedStatement): { name: string; type: string | null }[] =>
  Array.from({ length: statement.parameterCount }, (_, index) => {
    const known = statement.parameterTypeId(index + 1) !== DuckDBTypeId.INVALID;
    return {
      name: statement.parameterName(index + 1),
      type: known ? typeName(statement.parameterType(index + 1)) : null,
    };
  });

async function boundOf(connection: DuckDBConnection, name: string, param: PlainParam | TypedParam): Promise<Bound> {
  if (param === null) return { value: null, type: SQLNULL };
  if (typeof param === 'boolean') return { value: param, type: BOOLEAN };
  if (typeof param === 'string') return { value: wellFormed(name, param), type: VARCHAR };
  if (typeof param === 'number') return numberOf(name, param);
  const type = paramType(param.type);
  if (type === undefined) throw wrong(name, `cannot be of type ${param.type}; types: ${paramTypeNames.join(', ')}`);
  if (type.list !== Array.isArray(param.value))
    throw wrong(name, type.list ? 'needs an array for its type' : 'needs a type that ends with [] for an array');
  const values = (Array.isArray(param.value) ? param.value : [param.value]) as readonly PlainParam[];
  return castText(
    connection,
    name,
    type,
    values.map((value) => (value === null ? null : wellFormed(name, String(value)))),
  );
}

/** A JSON number is a double: one past 2^53 has lost digits before it came here. */
function numberOf(name: string, value: number): Bound {
  if (!Number.isInteger(value) || Object.is(value, -0)) return { value, type: DOUBLE };
  if (!Number.isSafeInteger(value))
    throw wrong(name, 'is too large for a JSON number: send {"type": "HUGEINT", "value": "…"}');
  return value === (value | 0) ? { value, type: INTEGER } : { value: BigInt(value), type: BIGINT };
}

/** The texts as values of `type`, by DuckDB's own cast. */
async function castText(
  connection: DuckDBConnection,
  name: string,
  type: ParamType & { readonly list: boolean },
  texts: readonly (string | null)[],
): Promise<Bound> {
  const lost = texts.find((text) => text !== null && !type.keeps(text));
  if (lost !== undefined)
    throw wrong(name, `cannot be kept exactly as ${type.sql}: ${JSON.stringify(lost).slice(0, 100)}`);
  const cast = type.list ? `list_transform($1, lambda x: ${type.cast('x')})` : type.cast('$1');
  try {
    const statement = await connection.prepare(`SELECT ${cast}`);
    if (type.list) statement.bind([listValue(texts)], [LIST(VARCHAR)]);
    else statement.bind([texts[0] ?? null], [VARCHAR]);
    const read = await statement.runAndReadAll();
    return { value: read.getRows()[0]?.[0] ?? null, type: read.columnType(0) };
  } catch (error) {
    throw wrong(name, `is not of type ${type.sql}: ${parseDuckDbError(error).message}`);
  }
}

function wellFormed(name: string, text: string): string {
  if (!text.isWellFormed()) throw wrong(name, 'holds half of a surrogate pair, which no text can keep');
  return text;
}

const wrong = (name: string, what: string): Fault =>
  refusal([{ pointer: pointer(name), detail: `The parameter $${name.toWellFormed()} ${what}.` }]);
