// Numbers as spreadsheets store them: doubles, printed by some programs with two digits more than they need.

/** Digits that say no more than a double, its noise included. */
const NOISY_DIGITS = 17;

const figuresOf = (lexeme: string): string =>
  lexeme
    .replace(/[eE].*$/, '')
    .replace(/[^0-9]/g, '')
    .replace(/^0+/, '');

export const decimalOf = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

const grammar = /^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$/;
export const isNumber = (lexeme: string): boolean => grammar.test(lexeme);

/**
 * The shortest decimal of the double that is written: `1.1000000000000001` gives `1.1`. What is more than a double stays as written: whole
 * numbers that no double holds, decimals with more than 17 digits, and what is beyond its range. Undefined for what is no number.
 */
export function numberText(lexeme: string): string | undefined {
  const value = Number(lexeme);
  const short = decimalOf(value);
  if (short === lexeme && Number.isFinite(value)) return short;
  if (!isNumber(lexeme)) return undefined;
  const trimmed = lexeme.trim();
  if (!Number.isFinite(value)) return trimmed;
  const isWhole = /^[+-]?[0-9]+$/.test(trimmed);
  if (isWhole && !Number.isSafeInteger(value)) return String(BigInt(trimmed.replace(/^\+/, '')));
  return figuresOf(trimmed).replace(/0+$/, '').length > NOISY_DIGITS ? trimmed : short;
}
