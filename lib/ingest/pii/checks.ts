// Check digits as standards and tax offices define them. All take digits only, unless they say otherwise.

const digitAt = (digits: string, at: number): number => digits.charCodeAt(at) - 48;

/** Separators that people put between groups of digits. */
export const bare = (text: string): string => text.replaceAll(/[ .\-/]/g, '');

/** Sum of digits times weights; weights beyond the digits are left alone. */
export function weighted(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (const [at, weight] of weights.entries()) sum += weight * digitAt(digits, at);
  return sum;
}

/** ISO/IEC 7812: every second digit from the right is doubled, and the sum of all digits ends in 0. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, twice = false; at >= 0; at -= 1, twice = !twice) {
    const doubled = digitAt(digits, at) * (twice ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The rest by 97 of digits and letters, A as 10 (ISO 7064, as IBAN uses it). */
export function rest97(text: string): number {
  let rest = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

/** ISO 7064 MOD 11,10, the last digit being the check. */
export function passes11And10(digits: string): boolean {
  let product = 10;
  for (let at = 0; at < digits.length - 1; at += 1) {
    const sum = (digitAt(digits, at) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === digitAt(digits, digits.length - 1);
}

/** Multiplication of the dihedral group of order ten: turns are 0 to 4, turns of the flipped figure 5 to 9. */
function times(one: number, other: number): number {
  const turned = one < 5 ? (one + other) % 5 : (one - other + 5) % 5;
  return one < 5 === other < 5 ? turned : turned + 5;
}

const firstShift = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4] as const;

/** J. Verhoeff, Error Detecting Decimal Codes (1969); the last digit is the check. */
export function passesVerhoeff(digits: string): boolean {
  let check = 0;
  for (let place = 0; place < digits.length; place += 1) {
    let shifted = digitAt(digits, digits.length - 1 - place);
    for (let round = 0; round < place % 8; round += 1) shifted = firstShift[shifted] ?? 0;
    check = times(check, shifted);
  }
  return check === 0;
}

/** Whether the year (four digits, or the last two of any), month and day can be a date. */
export function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year < 100 || year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day <= days;
}

export const isRepeated = (digits: string): boolean => /^(\d)\1*$/.test(digits);
