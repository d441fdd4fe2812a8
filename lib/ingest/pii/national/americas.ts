import { isDay, isRepeated, passesLuhn, weighted } from '../checks.ts';
import { nationalId } from './id.ts';

/** No area 000, 666 or 9xx, no group 00, no serial 0000 (Social Security Administration). */
const isSsn = (id: string): boolean => /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(id);

/** Each of the two check digits by the digits before it, weights falling to 2, by 11. */
function isCpf(id: string): boolean {
  const checkOf = (digits: string): number => {
    const weights = Array.from(digits, (_, at) => digits.length + 1 - at);
    return ((weighted(digits, weights) * 10) % 11) % 10;
  };
  return !isRepeated(id) && checkOf(id.slice(0, 9)) === Number(id[9]) && checkOf(id.slice(0, 10)) === Number(id[10]);
}

const curpValues = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';
function isCurp(id: string): boolean {
  const sum = Array.from(id.slice(0, 17)).reduce((total, each, at) => total + curpValues.indexOf(each) * (18 - at), 0);
  const [year, month, day] = [id.slice(4, 6), id.slice(6, 8), id.slice(8, 10)].map(Number) as [number, number, number];
  return isDay(year, month, day) && (10 - (sum % 10)) % 10 === Number(id[17]);
}

export const americas = [
  nationalId({
    tag: 'US_SSN',
    country: 'US',
    form: /^\d{3}([- ])\d{2}\1\d{4}$/,
    hintedForm: /^\d{9}$/,
    digits: 9,
    check: isSsn,
    chance: 0.05,
    hints: ['ssn', 'social security', 'social security number', 'socialsecurity', 'social security no'],
  }),
  nationalId({
    tag: 'CA_SIN',
    country: 'CA',
    form: /^[1-79]\d{2}([- ]?)\d{3}\1\d{3}$/,
    digits: 9,
    check: passesLuhn,
    chance: 0.1,
    hints: ['sin', 'social insurance', 'social insurance number', 'nas'],
  }),
  nationalId({
    tag: 'BR_CPF',
    country: 'BR',
    form: /^\d{3}\.?\d{3}\.?\d{3}-?\d{2}$/,
    digits: 11,
    check: isCpf,
    chance: 0.01,
    hints: ['cpf'],
  }),
  nationalId({
    tag: 'MX_CURP',
    country: 'MX',
    form: /^[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{2}[B-DF-HJ-NP-TV-Z]{3}[A-Z\d]\d$/i,
    evidence: 'form',
    check: isCurp,
    chance: 0.005,
    hints: ['curp'],
  }),
];
