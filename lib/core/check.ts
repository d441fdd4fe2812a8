/** The value, or a TypeError that names what was missing: for what an earlier check has made certain. */
export function must<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new TypeError(`missing: ${what}`);
  return value;
}

/** What was thrown, as an Error. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
