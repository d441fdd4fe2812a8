// What a text looks like: one test a form. Each is asked of single values; rules ask which share of a column's values passes.
import { isIP } from 'node:net';
import {
  countryCodes,
  countryCodes3,
  countryNames,
  currencyCodes,
  languageCodes,
  monthNames,
  states,
  timeZones,
} from './lists.ts';

export type ValueTest = (text: string) => boolean;

/** The remainder by 97 of the rearranged digits is 1 (ISO 13616). */
export function isIban(text: string): boolean {
  const plain = text.replaceAll(/[\s-]/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(plain)) return false;
  const digits = `${plain.slice(4)}${plain.slice(0, 4)}`.replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isPlace(text: string): boolean {
  const found = /^\s*\(?\s*([-+]?\d{1,3}(?:\.\d+)?)\s*[,;]\s*([-+]?\d{1,3}(?:\.\d+)?)\s*\)?\s*$/.exec(text);
  if (found === null) return /^POINT\s*Z?\s*\(/i.test(text);
  const hasFraction = text.includes('.');
  return hasFraction && Math.abs(Number(found[1])) <= 180 && Math.abs(Number(found[2])) <= 180;
}

const isLanguage: ValueTest = (text) => {
  const [language = '', region] = text.split(/[-_]/);
  if (!languageCodes().has(language.toLowerCase())) return false;
  return region === undefined ? text === text.toLowerCase() : /^([A-Za-z]{2}|[A-Z][a-z]{3}|\d{3})$/.test(region);
};

const isPhone: ValueTest = (text) => {
  const digits = text.replaceAll(/\D/g, '').length;
  return digits >= 7 && digits <= 15 && /^[+(]?\d[\d\s()./-]*(?:\s?(?:x|ext\.?)\s?\d{1,5})?$/i.test(text.trim());
};

/** A date in another form than the type DATE takes: day and month in either order, or with the month's name. */
const isDateText: ValueTest = (text) =>
  /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/.test(text) ||
  /^(?:[A-Za-z]{3,9},? )?(?:\d{1,2}\.? [A-Za-z]{3,9}\.?,? \d{2,4}|[A-Za-z]{3,9}\.? \d{1,2},? \d{2,4})$/.test(text);

const clock = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?`;
const timePattern = new RegExp(`^${clock}$`);
const datetimePattern = new RegExp(
  String.raw`^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[T ]${clock}(?: ?(?:Z|[+-]\d{2}:?\d{2}|[A-Z]{3,4}))?$`,
);

const isoDuration = /^P(?=.)(?:\d+[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?$/;

export const looksLike = {
  email: (text) => /^[^\s@<>"(),;:]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?\.[A-Za-z]{2,24}$/.test(text),
  url: (text) => /^(?:https?|ftps?|wss?):\/\/[^\s/$.?#].\S*$|^www\.[\w-]+\.\S+$/i.test(text),
  imageUrl: (text) => /^https?:\/\/\S+\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|ico)(?:[?#]\S*)?$/i.test(text),
  uuid: (text) => /^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$/i.test(text),
  iban: isIban,
  ip: (text) => isIP(text.replace(/\/\d{1,3}$/, '')) !== 0,
  json: isJson,
  place: isPlace,
  filePath: (text) =>
    /^(?:[A-Za-z]:\\|\\\\|\/|\.{1,2}[\\/]|~\/|s3:\/\/|gs:\/\/|file:\/\/)[^\s]/.test(text) ||
    /^(?:[\w. -]+[\\/])*[\w. -]+\.[A-Za-z][A-Za-z0-9]{1,4}$/.test(text),
  rootedPath: (text) => /^(?:[A-Za-z]:\\|\\\\|\/[^/\s]|\.{1,2}[\\/]|~\/|s3:\/\/|gs:\/\/|file:\/\/)\S/.test(text),
  datetime: (text) => datetimePattern.test(text),
  date: isDateText,
  time: (text) => timePattern.test(text),
  isoDuration: (text) => isoDuration.test(text),
  duration: (text) =>
    isoDuration.test(text) ||
    /^(?:\d+(?:\.\d+)?\s?(?:ms|s|sec|secs|min|mins|m|h|hrs?|hours?|minutes?|seconds?|days?|d)\s?)+$/i.test(text),
  money: (text) => /^[-(]?\s?(?:[$€£¥₹]|[A-Z]{2,3}\s?[$€£¥]?)\s?-?\d[\d.,' ]*\)?$|^-?\d[\d.,' ]*\s?[€$£¥₹]$/.test(text),
  percentage: (text) => /^[-+]?\d+(?:[.,]\d+)?\s?%$/.test(text),
  version: (text) => /^v?\d+\.\d+\.\d+(?:\.\d+)?(?:[-+][\w.-]+)?$/i.test(text),
  shortVersion: (text) => /^v?\d+(?:\.\d+)+(?:[-+ ]?[A-Za-z][\w.-]*)?$/i.test(text),
  phone: isPhone,
  fullPhone: (text) => text.trim().startsWith('+') && isPhone(text),
  timezone: (text) => timeZones().has(text) || /^(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d{2})?)?$/.test(text),
  country: (text) => countryNames().has(text.trim().toLowerCase()),
  countryCode: (text) => countryCodes().has(text.toUpperCase()) || countryCodes3().has(text.toUpperCase()),
  upperCountryCode: (text) => countryCodes().has(text) || countryCodes3().has(text),
  currencyCode: (text) => currencyCodes().has(text),
  language: isLanguage,
  localeTag: (text) => /[-_]/.test(text) && isLanguage(text),
  state: (text) => states().has(text) || states().has(text.trim().toLowerCase()),
  month: (text) => monthNames().has(text.trim().toLowerCase()) || /^(?:0?[1-9]|1[0-2])$|^\d{4}-\d{2}$/.test(text),
  monthName: (text) => monthNames().has(text.trim().toLowerCase()),
  quarter: (text) => /^(?:(?:FY)?\d{2,4}[ -]?)?Q[1-4](?:[ -]?(?:FY)?\d{2,4})?$|^[1-4]Q(?:\d{2,4})?$/i.test(text),
  week: (text) => /^(?:\d{4}[ -]?)?W\d{1,2}$/i.test(text),
  year: (text) => /^(?:1[5-9]|20|21)\d{2}$|^FY ?\d{2,4}$|^\d{4}[/-]\d{2,4}$/i.test(text),
  boolean: (text) => /^(?:true|false|yes|no|y|n|t|f|on|off|0|1|ja|nein|oui|non|si|sí)$/i.test(text.trim()),
  wordBoolean: (text) => /^(?:true|false|yes|no|y|n|ja|nein|oui|non)$/i.test(text.trim()),
  postalCode: (text) => /\d/.test(text) && /^[A-Z0-9]{2,5}(?:[ -]?[A-Z0-9]{2,5})?$/i.test(text.trim()),
  taxId: (text) => text.replaceAll(/\D/g, '').length >= 7 && /^[A-Z]{0,3}[A-Z0-9 ./-]{6,18}$/i.test(text),
  code: (text) => text.length <= 24 && /^[A-Z0-9][A-Z0-9._/-]*$/i.test(text) && !/^[a-z]+$/.test(text),
  color: (text) => /^#[0-9a-f]{3,8}$/i.test(text),
} as const satisfies Record<string, ValueTest>;

/** From 0 to 1; 0 of no values. */
export const shareOf = (values: readonly string[], test: ValueTest): number =>
  values.length === 0 ? 0 : values.filter((text) => test(text)).length / values.length;
