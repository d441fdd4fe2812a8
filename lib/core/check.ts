/** The value, or a TypeError that names what was missing: for what an earlier check has made certain. */
export function must<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new TypeError(`missing: ${what}`);
  return value;
}

/** What was thrown, as an Error with a message that can be read. Never throws, whatever was thrown. */
export function asError(thrown: unknown): Error {
  try {
    if (thrown === null || thrown === undefined) return new Error(`${thrown} was thrown.`);
    if (!(thrown instanceof Error)) return new Error(textOf(thrown));
    const message: unknown = thrown.message;
    return typeof message === 'string' ? thrown : new Error(textOf(message));
  } catch {
    return new Error('What was thrown could not be read.');
  }
}

const textOf: (value: unknown) => string = String;

/** Text as a row may keep it: well formed, and at most so many characters. Never throws; what is no text becomes some. */
export function plainText(text: unknown, most: number): string {
  try {
    return textOf(text).slice(0, most).toWellFormed();
  } catch {
    return '';
  }
}
