// Whether a part of a statement answers differently when it is run again over the same tables: by the time, by chance, or by a sample.
import { fold } from './scope.ts';

/** Functions that are not the same at each run, but for those that no query may call; a test compares them with what DuckDB says of its own. */
export const varyingFunctions: ReadonlySet<string> = new Set([
  // Of one argument, it counts from today.
  'age',
  'current_date',
  'gen_random_uuid',
  'get_current_time',
  'get_current_timestamp',
  'now',
  'random',
  'setseed',
  'today',
  'transaction_timestamp',
  'uuid',
  'uuidv4',
  'uuidv7',
]);

/** Words that stand for the time, and that the parser takes for columns. */
const clocks: ReadonlySet<string> = new Set([
  'current_date',
  'current_time',
  'current_timestamp',
  'localtime',
  'localtimestamp',
]);

/** Texts that are read as the time where they are cast to one. */
const clockTexts: ReadonlySet<string> = new Set(['now', 'today', 'tomorrow', 'yesterday']);

/** True in doubt, as of a column that is called `localtime`: to run again for nothing costs less than to keep what is old. */
export function varies(node: Readonly<Record<string, unknown>>): boolean {
  if (typeof node['function_name'] === 'string') return varyingFunctions.has(fold(node['function_name']));
  if (Array.isArray(node['column_names'])) return clocks.has(fold(String(node['column_names'].at(-1))));
  if (node['type'] === 'VALUE_CONSTANT') return isClockText(node['value']);
  return typeof node['sample'] === 'object' && node['sample'] !== null;
}

const isClockText = (constant: unknown): boolean =>
  typeof constant === 'object' &&
  constant !== null &&
  'value' in constant &&
  typeof constant.value === 'string' &&
  clockTexts.has(constant.value.trim().toLowerCase());
