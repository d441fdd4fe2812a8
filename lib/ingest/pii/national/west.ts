// Western Europe.
import { isRepeated, passes11And10, rest97, weighted } from '../checks.ts';
import { nationalId } from './id.ts';

/** Of the first ten digits exactly one stands twice or three times, and the check digit holds (Bundeszentralamt für Steuern). */
function isGermanTaxId(id: string): boolean {
  const counts = new Map<string, number>();
  for (const digit of id.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const repeated = [...counts.values()].filter((count) => count > 1);
  return repeated.length === 1 && (repeated[0] ?? 0) <= 3 && passes11And10(id);
}

const dniLetters = 'TRWAGMYFPDXBNJZSQVHLCKE';
const isDni = (id: string): boolean =>
  dniLetters[Number(id.slice(0, 8).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)))) % 23] === id[8];

/** The key is what is missing to a multiple of 97; the two halves of Corsica count as 19 and 18. */
function isNir(id: string): boolean {
  const month = Number(id.slice(3, 5));
  const born = (month >= 1 && month <= 12) || (month >= 20 && month <= 42) || month >= 50;
  const digits = id.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return born && 97 - rest97(digits) === Number(id.slice(13));
}

/** What a character in an odd place counts: 0 to 9, or A to Z (decree of 23 December 1976). */
const oddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
function isCodiceFiscale(id: string): boolean {
  const sum = Array.from(id.slice(0, 15)).reduce((total, each, at) => {
    const value = /\d/.test(each) ? Number(each) : each.charCodeAt(0) - 65;
    return total + (at % 2 === 0 ? (oddValues[value] ?? 0) : value);
  }, 0);
  return String.fromCharCode(65 + (sum % 26)) === id[15];
}

const isBsn = (id: string): boolean => !isRepeated(id) && weighted(id, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;

/** The check is what is missing to a multiple of 97; a 2 stands before the number of those born since 2000. */
function isBelgian(id: string): boolean {
  const check = Number(id.slice(9));
  const number = id.slice(0, 9);
  return (
    Number(id.slice(2, 4)) <= 12 &&
    Number(id.slice(4, 6)) <= 31 &&
    [number, `2${number}`].some((each) => 97 - rest97(each) === check)
  );
}

const isNif = (id: string): boolean => {
  const rest = weighted(id, [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
  return (rest < 2 ? 0 : 11 - rest) === Number(id[8]);
};

const isNhs = (id: string): boolean =>
  !isRepeated(id) && (11 - (weighted(id, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === Number(id[9]);

/** The letter of the rest by 23; a second letter counts nine times. */
function isPps(id: string): boolean {
  const second = id[8] === undefined || id[8] === 'W' ? 0 : id.charCodeAt(8) - 64;
  const rest = (weighted(id, [8, 7, 6, 5, 4, 3, 2]) + 9 * second) % 23;
  return (rest === 0 ? 'W' : String.fromCharCode(64 + rest)) === id[7];
}

const isAhv = (id: string): boolean =>
  (10 - (weighted(id, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10 === Number(id[12]);

const isAustrian = (id: string): boolean =>
  Number(id.slice(4, 6)) <= 31 &&
  Number(id.slice(6, 8)) <= 15 &&
  weighted(id, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === Number(id[3]);

export const westernEurope = [
  nationalId({
    tag: 'GB_NINO',
    country: 'GB',
    form: /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]$/i,
    hintedForm: /^[A-Z]{2} ?\d{2} ?\d{2} ?\d{2}$/i,
    check: () => true,
    chance: 0.1,
    hints: ['nino', 'national insurance', 'national insurance number', 'ni number'],
  }),
  nationalId({
    tag: 'GB_NHS',
    country: 'GB',
    form: /^\d{3}([ -]?)\d{3}\1\d{4}$/,
    digits: 10,
    check: isNhs,
    chance: 0.1,
    hints: ['nhs', 'nhs number'],
  }),
  nationalId({
    tag: 'IE_PPS',
    country: 'IE',
    form: /^\d{7}[A-W][A-IW]?$/i,
    check: isPps,
    chance: 0.05,
    hints: ['pps', 'ppsn', 'pps number'],
  }),
  nationalId({
    tag: 'DE_TAX_ID',
    country: 'DE',
    form: /^[1-9]\d( ?)\d{3}\1\d{3}\1\d{3}$/,
    check: isGermanTaxId,
    chance: 0.02,
    hints: ['steuer id', 'steuerid', 'steueridentifikationsnummer', 'idnr', 'tax id', 'tin'],
  }),
  nationalId({
    tag: 'AT_SVNR',
    country: 'AT',
    form: /^[1-9]\d{3} ?\d{6}$/,
    check: isAustrian,
    chance: 0.02,
    hints: ['svnr', 'sozialversicherungsnummer', 'versicherungsnummer'],
  }),
  nationalId({
    tag: 'CH_AHV',
    country: 'CH',
    form: /^756(\.?)\d{4}\1\d{4}\1\d{2}$/,
    evidence: 'form',
    check: isAhv,
    chance: 0.1,
    hints: ['ahv', 'avs', 'ahv nummer', 'navs'],
  }),
  nationalId({
    tag: 'ES_DNI',
    country: 'ES',
    form: /^(?:\d{8}|[XYZ]-?\d{7})[- ]?[A-HJ-NP-TV-Z]$/i,
    check: isDni,
    chance: 0.05,
    hints: ['dni', 'nie', 'nif', 'documento nacional', 'documento'],
  }),
  nationalId({
    tag: 'FR_NIR',
    country: 'FR',
    form: /^[1-478] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}$/i,
    check: isNir,
    chance: 0.01,
    hints: ['nir', 'insee', 'securite sociale', 'numero securite sociale', 'num secu'],
  }),
  nationalId({
    tag: 'IT_CODICE_FISCALE',
    country: 'IT',
    form: /^[A-Z]{6}[\dLMNP-V]{2}[A-EHLMPR-T][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]$/i,
    evidence: 'form',
    check: isCodiceFiscale,
    chance: 0.04,
    hints: ['codice fiscale', 'codicefiscale', 'cod fiscale', 'cf'],
  }),
  nationalId({
    tag: 'NL_BSN',
    country: 'NL',
    form: /^\d{9}$/,
    digits: 9,
    check: isBsn,
    chance: 0.1,
    hints: ['bsn', 'burgerservicenummer', 'sofinummer'],
  }),
  nationalId({
    tag: 'BE_NATIONAL_NUMBER',
    country: 'BE',
    form: /^\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}$/,
    digits: 11,
    check: isBelgian,
    chance: 0.01,
    hints: ['rijksregisternummer', 'numero national', 'niss', 'insz', 'nrn'],
  }),
  nationalId({
    tag: 'PT_NIF',
    country: 'PT',
    form: /^[1-3]\d{8}$/,
    check: isNif,
    chance: 0.1,
    hints: ['nif', 'contribuinte', 'numero contribuinte'],
  }),
];
