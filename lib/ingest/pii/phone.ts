import {
  type CountryCode,
  findPhoneNumbersInText,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import type { Detector } from './detector.ts';

const international = /^(?:\+|00)[\d ().\-/]{6,24}$/;
const local = /^[\d ().\-/+]{6,24}(?: ?(?:x|ext\.?) ?\d{1,6})?$/i;
/** Dates and times look like phone numbers to a plan with many lengths. */
const dated = /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}$/;

const isValid = (value: string, country?: CountryCode): boolean =>
  parsePhoneNumberFromString(value, { extract: false, ...(country && { defaultCountry: country }) })?.isValid() ??
  false;

const digitsOf = (value: string): number => value.replaceAll(/\D/g, '').length;

/**
 * Phone numbers by the numbering plans of their countries. With a + they say their country and are told anywhere; without one they are told
 * only in a column named so, by the plans of `countries`, or by their length where no country is named.
 */
export function phone(countries: readonly string[] | undefined): Detector {
  const plans = (countries ?? []).filter((country): country is CountryCode => isSupportedCountry(country));
  const isLocal = (value: string): boolean => {
    if (!local.test(value) || dated.test(value)) return false;
    if (plans.length > 0) return plans.some((country) => isValid(value, country)) || isValid(`+${value}`);
    return digitsOf(value) >= 7 && digitsOf(value) <= 15;
  };
  return {
    tag: 'PHONE',
    evidence: 'form',
    chance: 0.05,
    hints: [
      'phone',
      'telephone',
      'mobile',
      'cell',
      'fax',
      'tel',
      'phonenumber',
      'mobilephone',
      'cellphone',
      'msisdn',
      'whatsapp',
      'telefon',
      'telefono',
      'handy',
      'mobil',
      'movil',
      'celular',
      'portable',
      'telefone',
      'telefonnummer',
      'cellulare',
    ],
    matches: (value, hinted) => {
      if (international.test(value)) return isValid(value.replace(/^00/, '+'));
      return hinted && isLocal(value);
    },
    within: (text) => /\+\d/.test(text) && findPhoneNumbersInText(text).length > 0,
  };
}
