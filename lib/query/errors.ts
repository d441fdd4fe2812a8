// Turns what DuckDB throws into faults: its own sentence and the place in the SQL, never a path of this machine.
import { asError } from '../core/check.ts';
import { Fault, type FaultCode } from '../core/fault.ts';

/** DuckDB's own account of an error, from `errors_as_json` or from the serialiser. */
export interface DuckDbError {
  readonly type: string;
  readonly message: string;
  /** Byte offset into the SQL. */
  readonly position: number | undefined;
}

export interface ErrorContext {
  readonly sql: string;
  /** Bytes that stood before the SQL in what DuckDB was given. */
  readonly lead?: number | undefined;
  /** Texts that a message must not carry: local paths. */
  readonly secrets: readonly string[];
}

/** Characters. */
const longestMessage = 2000;

const codeByType: Readonly<Record<string, FaultCode>> = {
  'Out of Memory': 'QUERY_MEMORY',
  Permission: 'SQL_FORBIDDEN',
  HTTP: 'SQL_FORBIDDEN',
  'Missing Extension': 'SQL_FORBIDDEN',
  Autoload: 'SQL_FORBIDDEN',
  Settings: 'SQL_FORBIDDEN',
  IO: 'INTERNAL',
};

/** Reads DuckDB's message, which carries JSON, sometimes behind a prefix. */
export function parseDuckDbError(thrown: unknown): DuckDbError {
  const text = asError(thrown).message;
  const brace = text.indexOf('{');
  try {
    const read = JSON.parse(text.slice(brace)) as Record<string, string | undefined>;
    if (brace >= 0 && read['exception_type'] !== undefined)
      return fromFields(read['exception_type'], read['exception_message'], read['position']);
  } catch {
    // Not JSON: the sentence as it is, below.
  }
  const plain = /^([A-Z][A-Za-z ]*?) Error: ([\s\S]*)$/.exec(text);
  return { type: plain?.[1] ?? 'Unknown', message: plain?.[2] ?? text, position: undefined };
}

export const fromFields = (type: string, message: string | undefined, position: string | undefined): DuckDbError => ({
  type,
  message: message ?? '',
  position: position === undefined ? undefined : Number(position),
});

/** The fault for an error that DuckDB raised on this SQL. */
export function toFault(error: DuckDbError, context: ErrorContext): Fault {
  const code = codeByType[error.type] ?? 'SQL_INVALID';
  if (error.message.includes('No space left on device'))
    return new Fault('QUERY_DISK', 'The query found no room on the disk.');
  if (code === 'INTERNAL')
    return new Fault('INTERNAL', 'The stored table could not be read.', { cause: new Error(error.message) });
  if (code === 'QUERY_MEMORY') return new Fault('QUERY_MEMORY', 'The query ran out of memory.');
  const place = placeOf(error.position, context);
  const message = shortened(withoutSecrets(error.message, context.secrets));
  const detail = `${message}${place === undefined ? '' : ` (line ${place.line}, column ${place.column})`}`;
  return new Fault(code, detail, place === undefined ? {} : { extra: place });
}

export function withoutSecrets(message: string, secrets: readonly string[]): string {
  const longestFirst = secrets.filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((text, secret) => text.replaceAll(secret, '…'), message).trim();
}

/** A message may quote a value, and a value may have any size. */
const shortened = (message: string): string =>
  message.length > longestMessage ? `${message.slice(0, longestMessage).toWellFormed()}…` : message;

/** 1-based line and column, in characters. */
function placeOf(position: number | undefined, context: ErrorContext): { line: number; column: number } | undefined {
  const bytes = Buffer.from(context.sql);
  const at = (position ?? NaN) - (context.lead ?? 0);
  if (!(at >= 0 && at <= bytes.length)) return undefined;
  const lines = bytes.subarray(0, at).toString().split('\n');
  return { line: lines.length, column: Array.from(lines.at(-1) ?? '').length + 1 };
}
