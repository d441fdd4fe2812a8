// The north and the east of Europe: numbers that begin with a day of birth.
import { isDay, isRepeated, passesLuhn, weighted } from '../checks.ts';
import { nationalId } from './id.ts';

const numbersIn = (id: string, ...places: readonly number[]): number[] =>
  places.map((at) => Number(id.slice(at, at + 2)));

/** The month tells the century by 20 more or less. */
function isPesel(id: string): boolean {
  const [year = 0, month = 0, day = 0] = numbersIn(id, 0, 2, 4);
  const check = (10 - (weighted(id, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10;
  return isDay(year, month % 20, day) && check === Number(id[10]);
}

/** Of people without a number, the day is 60 more. */
function isSwedish(id: string): boolean {
  const ten = id.replaceAll('+', '').slice(-10);
  const [year = 0, month = 0, day = 0] = numbersIn(ten, 0, 2, 4);
  return isDay(year, month, day > 60 ? day - 60 : day) && passesLuhn(ten);
}

/** Of people without a number, the day is 40 more; of invented ones, the month is 40 or 80 more. */
function isNorwegian(id: string): boolean {
  const [day = 0, month = 0, year = 0] = numbersIn(id, 0, 2, 4);
  const first = (11 - (weighted(id, [3, 7, 6, 1, 8, 9, 4, 5, 2]) % 11)) % 11;
  const second = (11 - (weighted(id, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
  return isDay(year, month % 40, day > 40 ? day - 40 : day) && first === Number(id[9]) && second === Number(id[10]);
}

/** Since 2007 numbers are given without a check digit, so only the day is left. */
function isDanish(id: string): boolean {
  const [day = 0, month = 0, year = 0] = numbersIn(id, 0, 2, 4);
  return isDay(year, month, day);
}

const hetuSigns = '0123456789ABCDEFHJKLMNPRSTUVWXY';
function isFinnish(id: string): boolean {
  const digits = id.replaceAll(/\D(?=.*.)/g, '').slice(0, 9);
  const [day = 0, month = 0, year = 0] = numbersIn(digits, 0, 2, 4);
  return digits.length === 9 && isDay(year, month, day) && hetuSigns[Number(digits) % 31] === id.at(-1);
}

/** Two check digits: of odd and even places, and of the first ten. */
function isTurkish(id: string): boolean {
  const tenth = ((weighted(id, [7, -1, 7, -1, 7, -1, 7, -1, 7]) % 10) + 10) % 10 === Number(id[9]);
  return tenth && !isRepeated(id) && weighted(id, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]) % 10 === Number(id[10]);
}

export const northAndEast = [
  nationalId({
    tag: 'PL_PESEL',
    country: 'PL',
    form: /^\d{11}$/,
    digits: 11,
    check: isPesel,
    chance: 0.02,
    hints: ['pesel'],
  }),
  nationalId({
    tag: 'SE_PERSONNUMMER',
    country: 'SE',
    form: /^(?:(?:18|19|20)\d{2}|\d{2})\d{4}[-+]?\d{4}$/,
    digits: 10,
    check: isSwedish,
    chance: 0.01,
    hints: ['personnummer', 'personnr', 'pnr', 'samordningsnummer'],
  }),
  nationalId({
    tag: 'NO_FODSELSNUMMER',
    country: 'NO',
    form: /^\d{6} ?\d{5}$/,
    digits: 11,
    check: isNorwegian,
    chance: 0.001,
    hints: ['fodselsnummer', 'fnr', 'personnummer', 'fodselsnr', 'd nummer'],
  }),
  nationalId({
    tag: 'DK_CPR',
    country: 'DK',
    form: /^\d{6}-\d{4}$/,
    hintedForm: /^\d{6} ?\d{4}$/,
    digits: 10,
    check: isDanish,
    chance: 0.1,
    hints: ['cpr', 'cpr nummer', 'cprnr', 'personnummer'],
  }),
  nationalId({
    tag: 'FI_HETU',
    country: 'FI',
    form: /^\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]$/i,
    evidence: 'form',
    check: isFinnish,
    chance: 0.01,
    hints: ['hetu', 'henkilotunnus', 'sotu'],
  }),
  nationalId({
    tag: 'TR_KIMLIK',
    country: 'TR',
    form: /^[1-9]\d{10}$/,
    check: isTurkish,
    chance: 0.01,
    hints: ['tc kimlik', 'kimlik', 'tckn', 'tc no'],
  }),
];
