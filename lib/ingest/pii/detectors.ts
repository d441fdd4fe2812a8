// The detectors that come with the service, the more telling ones first: where two tags fit a column equally well, the first is it.
import { creditCard } from './card.ts';
import type { Detector } from './detector.ts';
import { email } from './email.ts';
import { iban } from './iban.ts';
import { ipAddress } from './ip.ts';
import { americas } from './national/americas.ts';
import { northAndEast } from './national/north-east.ts';
import { southAndEast } from './national/south-east.ts';
import { westernEurope } from './national/west.ts';
import { dateOfBirth, personName } from './people.ts';
import { phone } from './phone.ts';

const national: readonly Detector[] = [...americas, ...westernEurope, ...northAndEast, ...southAndEast];

export interface DetectorOptions {
  /** ISO codes: whose national ids and phone numbers without a prefix are looked for. Default: the ids of all, the phones of none. */
  readonly countries?: readonly string[] | undefined;
  /** ISO date; nobody is born after it. */
  readonly today: string;
}

export function builtInDetectors({ countries, today }: DetectorOptions): Detector[] {
  const wanted = national.filter(({ country = '' }) => countries === undefined || countries.includes(country));
  return [email, iban, creditCard, ...wanted, ipAddress, phone(countries), dateOfBirth(today), personName];
}
