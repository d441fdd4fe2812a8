// What only the name of a column tells: dates are everywhere, and so are words with capitals.
import { isDay } from './checks.ts';
import type { Detector } from './detector.ts';

const OLDEST_YEAR = 1890;

const yearFirst = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00(?::?00)?)?)?$/;
const yearLast = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})$/;
const yearAlone = /^\d{4}$/;

/** Dates as tables have them (days and months in either order, years alone) up to `today` (ISO). */
export function dateOfBirth(today: string): Detector {
  const thisYear = Number(today.slice(0, 4));
  const wasThere = (year: number): boolean => year >= OLDEST_YEAR && year <= thisYear;
  const isBirth = (value: string): boolean => {
    const first = yearFirst.exec(value);
    if (first) {
      const [year, month, day] = first.slice(1).map(Number) as [number, number, number];
      const iso = first.slice(1).join('-');
      return isDay(year, month, day) && wasThere(year) && iso <= today.slice(0, 10);
    }
    const last = yearLast.exec(value);
    if (!last) return yearAlone.test(value) && wasThere(Number(value));
    const [one, other, year] = last.slice(1).map(Number) as [number, number, number];
    return (isDay(year, one, other) || isDay(year, other, one)) && (year < 100 || wasThere(year));
  };
  return {
    tag: 'DOB',
    evidence: 'hinted',
    chance: 0.001,
    hints: [
      'dob',
      'birth',
      'birthday',
      'birthdate',
      'dateofbirth',
      'birth date',
      'date of birth',
      'born',
      'birthyear',
      'bday',
      'geburt',
      'geburtsdatum',
      'geboren',
      'naissance',
      'ne le',
      'nacimiento',
      'nascita',
      'nascimento',
      'geboortedatum',
      'fodelsedatum',
      'fodselsdato',
    ],
    matches: isBirth,
  };
}

const word = /^[\p{L}\p{M}][\p{L}\p{M}'’`.-]*,?$/u;
const MOST_WORDS = 7;

function isName(value: string): boolean {
  if (value.length > 100) return false;
  const words = value.split(/\s+/);
  return words.length <= MOST_WORDS && words.every((each) => word.test(each));
}

/** Names of people: words without digits in a column named so. */
export const personName: Detector = {
  tag: 'NAME',
  evidence: 'hinted',
  chance: 0.001,
  hints: [
    'first name',
    'firstname',
    'last name',
    'lastname',
    'fname',
    'lname',
    'surname',
    'forename',
    'given name',
    'givenname',
    'family name',
    'familyname',
    'full name',
    'fullname',
    'middle name',
    'middlename',
    'maiden name',
    'nickname',
    'person name',
    'customer name',
    'customername',
    'client name',
    'patient name',
    'patient',
    'employee name',
    'user name',
    'contact name',
    'contact person',
    'member name',
    'student name',
    'passenger name',
    'cardholder',
    'card holder',
    'account holder',
    'holder name',
    'author name',
    'recipient name',
    'vorname',
    'nachname',
    'familienname',
    'prenom',
    'nom de famille',
    'nombre completo',
    'apellido',
    'apellidos',
    'primer nombre',
    'cognome',
    'nome completo',
    'sobrenome',
    'voornaam',
    'achternaam',
    'fornamn',
    'efternamn',
    'fornavn',
    'etternavn',
    'efternavn',
  ],
  matches: isName,
};
