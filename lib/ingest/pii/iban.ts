import { rest97 } from './checks.ts';
import type { Detector } from './detector.ts';

/** Characters of an IBAN by country, from the registry of ISO 13616. */
const registry =
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 ' +
  'FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 ' +
  'MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 ' +
  'SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30';
const lengths = new Map(registry.split(' ').map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]));
const LONGEST_WRITTEN = 48;

const heads = /(?<![A-Z0-9])[A-Z]{2}\d{2}(?=[ -]?[A-Z0-9])/g;

/** The IBAN that begins the text, if one does, without the blanks between its groups. */
function ibanAt(text: string): string | undefined {
  const length = lengths.get(text.slice(0, 2)) ?? 0;
  const compact = text.slice(0, LONGEST_WRITTEN).replaceAll(/[ -]/g, '').slice(0, length);
  const whole = length > 0 && compact.length === length && /^[A-Z0-9]+$/.test(compact);
  return whole && rest97(compact.slice(4) + compact.slice(0, 4)) === 1 ? compact : undefined;
}

function isIban(value: string): boolean {
  const upper = value.toUpperCase();
  return value.length <= LONGEST_WRITTEN && ibanAt(upper)?.length === upper.replaceAll(/[ -]/g, '').length;
}

function holdsIban(text: string): boolean {
  const upper = text.toUpperCase();
  return [...upper.matchAll(heads)].some(({ index }) => ibanAt(upper.slice(index)) !== undefined);
}

/** Bank accounts: the length of their country and the rest 1 by 97. */
export const iban: Detector = {
  tag: 'IBAN',
  evidence: 'form',
  chance: 0.011,
  hints: ['iban', 'bank account', 'account number', 'konto', 'kontonummer', 'bankaccount'],
  matches: isIban,
  within: holdsIban,
};
