// Decides from DuckDB's own syntax tree whether a statement may run: one SELECT, the dataset's tables, harmless functions.
// The walk visits every object of the tree and keeps its own stack, so that depth costs no call frames.
import { Fault } from '../core/fault.ts';
import { allowedTableFunctions, isRefusedFunction } from './functions.ts';
import { varies } from './repeatable.ts';
import { fold, isVisible, type Scope, within } from './scope.ts';

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json | undefined;
}
interface Visit {
  readonly value: Json | undefined;
  readonly scope: Scope | undefined;
}

const allowedSources: ReadonlySet<string> = new Set([
  'BASE_TABLE',
  'EMPTY',
  'EXPRESSION_LIST',
  'JOIN',
  'PIVOT',
  'SUBQUERY',
  'TABLE_FUNCTION',
]);
const queryNodes: ReadonlySet<string> = new Set([
  'SELECT_NODE',
  'SET_OPERATION_NODE',
  'RECURSIVE_CTE_NODE',
  'CTE_NODE',
]);

/** Parameters have names, since nothing else says which value is which. */
export const positional = (): Fault =>
  new Fault('SQL_INVALID', 'Parameters need names: write $name, and give its value in params.');

/** What a statement that may run says of itself. */
export interface Checked {
  /** The names of the parameters that it takes, in their order. */
  readonly parameters: readonly string[];
  /** The tables that it reads, as they are called, in the order of their names. */
  readonly tables: readonly string[];
  /** Whether it answers the same whenever it runs over the same tables. */
  readonly repeatable: boolean;
}

/** Throws SQL_NOT_SELECT, SQL_FORBIDDEN or SQL_INVALID unless the serialised statements are one harmless SELECT. */
export function checkStatements(statements: readonly unknown[], tables: readonly string[]): Checked {
  if (statements.length !== 1) throw new Fault('SQL_NOT_SELECT', `${statements.length} statements were given.`);
  const known: Known = new Map(tables.map((name) => [fold(name), { name, read: false }]));
  const statement = statements[0] as Json;
  let repeatable = true;
  const pending: Visit[] = [{ value: statement, scope: undefined }];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    repeatable &&= !(isObject(visit.value) && varies(visit.value));
    for (const next of below(visit, known)) pending.push(next);
  }
  const read = [...known.values()].filter((table) => table.read).map(({ name }) => name);
  return { parameters: parameterNames(statement), tables: read.sort(), repeatable };
}

/** Tables by their names in lower case, each with whether the walk has met it. */
type Known = ReadonlyMap<string, { readonly name: string; read: boolean }>;

function parameterNames(statement: Json | undefined): string[] {
  const map = isObject(statement) ? statement['named_param_map'] : undefined;
  const entries = Array.isArray(map) ? (map as readonly Json[]).filter(isObject) : [];
  return entries
    .toSorted((one, other) => Number(one['value']) - Number(other['value']))
    .map((entry) => textOf(entry['key']));
}

/** Checks one value and gives what is inside it. */
function below({ value, scope }: Visit, known: Known): Visit[] {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => ({ value: item, scope }));
  if (!isObject(value)) return [];
  checkObject(value, scope, known);
  return childrenOf(value, scope);
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** As much of a name as an answer has room for. */
const shortened = (name: string): string => (name.length > 200 ? `${name.slice(0, 200).toWellFormed()}…` : name);
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function checkObject(node: JsonObject, scope: Scope | undefined, known: Known): void {
  if (node['function_name'] !== undefined) checkFunction(node);
  if (node['class'] === 'PARAMETER' && /^\d*$/.test(textOf(node['identifier']))) throw positional();
  if (!isSource(node)) return checkNode(node);
  const type = textOf(node['type']);
  if (type === 'SHOW_REF') throw new Fault('SQL_NOT_SELECT', 'DESCRIBE, SHOW and SUMMARIZE are not SELECT statements.');
  if (!allowedSources.has(type)) throw new Fault('SQL_FORBIDDEN', `FROM cannot take ${type} here.`);
  if (type === 'BASE_TABLE') checkTable(node, scope, known);
  if (type === 'TABLE_FUNCTION') checkTableFunction(node);
}

/** Sources in FROM have `alias` and `sample` and, unlike expressions, no `class`. */
const isSource = (node: JsonObject): boolean => node['class'] === undefined && 'alias' in node && 'sample' in node;

function checkNode(node: JsonObject): void {
  if ('cte_map' in node && !queryNodes.has(textOf(node['type']))) {
    throw new Fault('SQL_NOT_SELECT', `${textOf(node['type'])} is not a SELECT.`);
  }
}

function checkFunction(node: JsonObject): void {
  const name = fold(textOf(node['function_name']));
  if (isRefusedFunction(name)) throw new Fault('SQL_FORBIDDEN', `The function ${shortened(name)} is not allowed.`);
  if (node['export_state'] === true) throw new Fault('SQL_FORBIDDEN', 'EXPORT_STATE is not allowed.');
}

function checkTableFunction(node: JsonObject): void {
  const call = node['function'];
  const name = isObject(call) ? fold(textOf(call['function_name'])) : '';
  if (!allowedTableFunctions.has(name))
    throw new Fault('SQL_FORBIDDEN', `The table function ${shortened(name)} is not allowed.`);
}

function checkTable(node: JsonObject, scope: Scope | undefined, known: Known): void {
  const name = textOf(node['table_name']);
  const schema = fold(textOf(node['schema_name']));
  const catalog = textOf(node['catalog_name']);
  if (catalog === '' && isVisible(scope, name) && (schema === '' || schema === 'recurring')) return;
  const table = catalog === '' && (schema === '' || schema === 'main') ? known.get(fold(name)) : undefined;
  if (table !== undefined) {
    table.read = true;
    return;
  }
  const shown = shortened([catalog, schema, name].filter((part) => part !== '').join('.'));
  if (schema !== '' || catalog !== '' || /[./\\:*?[]/.test(name) || /^(duckdb|pg|sqlite|pragma)_/.test(fold(name))) {
    throw new Fault('SQL_FORBIDDEN', `${shown} is not a table of this dataset, and nothing else can be read.`);
  }
  throw new Fault('SQL_INVALID', `There is no table ${shown} here.`, { extra: { table: shown } });
}

/** What is below a node, each with the names that it sees. */
function childrenOf(node: JsonObject, scope: Scope | undefined): Visit[] {
  const { entries, inner } = commonTables(node, scope);
  const rest = Object.entries(node).filter(([key]) => key !== 'cte_map');
  const recursive = node['type'] === 'RECURSIVE_CTE_NODE';
  const visits = rest.map(([key, value]): Visit => {
    // Only the second half of a recursive table sees itself: the first would find a catalogue view of that name.
    return { value, scope: recursive && key === 'right' ? within(inner, textOf(node['cte_name'])) : inner };
  });
  return [...entries, ...visits];
}

/** Each common table expression sees those before it, never itself. */
function commonTables(node: JsonObject, scope: Scope | undefined): { entries: Visit[]; inner: Scope | undefined } {
  const entries: Visit[] = [];
  let inner = scope;
  const map = isObject(node['cte_map']) ? node['cte_map']['map'] : undefined;
  for (const entry of Array.isArray(map) ? (map as readonly Json[]) : []) {
    if (!isObject(entry)) continue;
    entries.push({ value: entry['value'], scope: inner });
    inner = within(inner, textOf(entry['key']));
  }
  return { entries, inner };
}
