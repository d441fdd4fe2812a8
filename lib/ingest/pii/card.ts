import { isRepeated, passesLuhn } from './checks.ts';
import type { Detector } from './detector.ts';

/** First digits (from, to) and lengths that the networks issue; ISO/IEC 7812 and the networks' own lists. */
const issued: readonly (readonly [from: string, to: string, lengths: readonly number[]])[] = [
  ['34', '34', [15]],
  ['37', '37', [15]],
  ['300', '305', [14, 16, 17, 18, 19]],
  ['3095', '3095', [14, 16, 17, 18, 19]],
  ['36', '36', [14, 15, 16, 17, 18, 19]],
  ['38', '39', [14, 16, 17, 18, 19]],
  ['3528', '3589', [16, 17, 18, 19]],
  ['4', '4', [13, 16, 18, 19]],
  ['50', '50', [13, 14, 15, 16, 17, 18, 19]],
  ['51', '55', [16]],
  ['56', '58', [13, 14, 15, 16, 17, 18, 19]],
  ['2200', '2204', [16, 17, 18, 19]],
  ['2221', '2720', [16]],
  ['6', '6', [13, 14, 15, 16, 17, 18, 19]],
  ['81', '82', [16, 17, 18, 19]],
  ['9792', '9792', [16]],
];

const isIssued = (digits: string): boolean =>
  issued.some(([from, to, lengths]) => {
    const head = digits.slice(0, from.length);
    return head >= from && head <= to && lengths.includes(digits.length);
  });

const form = /^\d(?:[ -]?\d){12,18}$/;
/** A run of digits in groups that stands by itself. */
const runs = /(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d-])/g;

function isCard(value: string): boolean {
  if (!form.test(value)) return false;
  const digits = value.replaceAll(/[ -]/g, '');
  return isIssued(digits) && !isRepeated(digits) && passesLuhn(digits);
}

/** Payment cards: 13 to 19 digits, the ranges of the networks, and the check digit, which one number in ten has by chance. */
export const creditCard: Detector = {
  tag: 'CREDIT_CARD',
  evidence: 'checked',
  chance: 0.1,
  hints: [
    'card',
    'card number',
    'cardnumber',
    'card no',
    'credit card',
    'creditcard',
    'cc',
    'ccnumber',
    'pan',
    'tarjeta',
  ],
  matches: isCard,
  within: (text) => (text.match(runs) ?? []).some(isCard),
};
