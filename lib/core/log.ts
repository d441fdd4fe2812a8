/** Structured logging: a sentence and its fields. Fields never hold secrets, inputs or values of users' data. */
export interface Log {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
