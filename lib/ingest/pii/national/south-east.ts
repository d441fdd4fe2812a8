// Asia, Africa and Australia.
import { isDay, isRepeated, passesLuhn, passesVerhoeff, weighted } from '../checks.ts';
import { nationalId } from './id.ts';

const datedAt = (id: string, at: number): boolean =>
  isDay(Number(id.slice(at, at + 2)), Number(id.slice(at + 2, at + 4)), Number(id.slice(at + 4, at + 6)));

/** GB 11643: the check is by 11, X for ten. */
function isChinese(id: string): boolean {
  const rest = weighted(id, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11;
  return /^(?:18|19|20)/.test(id.slice(6)) && datedAt(id, 8) && '10X98765432'[rest] === id[17];
}

/** Numbers since October 2020 have no check digit. */
const isKorean = (id: string): boolean => datedAt(id, 0);

function isMyNumber(id: string): boolean {
  const rest = weighted(id, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  return (rest < 2 ? 0 : 11 - rest) === Number(id[11]) && !isRepeated(id);
}

const isTfn = (id: string): boolean => !isRepeated(id) && weighted(id, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0;

export const southAndEast = [
  nationalId({
    tag: 'IN_AADHAAR',
    country: 'IN',
    form: /^[2-9]\d{3}([ -]?)\d{4}\1\d{4}$/,
    check: passesVerhoeff,
    chance: 0.1,
    hints: ['aadhaar', 'aadhar', 'uidai'],
  }),
  nationalId({
    tag: 'IN_PAN',
    country: 'IN',
    form: /^[A-Z]{3}P[A-Z]\d{4}[A-Z]$/i,
    evidence: 'form',
    check: () => true,
    chance: 0.04,
    hints: ['pan', 'pan number', 'permanent account number'],
  }),
  nationalId({
    tag: 'CN_RESIDENT_ID',
    country: 'CN',
    form: /^[1-9]\d{16}[\dX]$/i,
    check: isChinese,
    chance: 0.001,
    hints: ['resident id', 'id card', 'idcard', 'shenfenzheng', 'sfz'],
  }),
  nationalId({
    tag: 'KR_RRN',
    country: 'KR',
    form: /^\d{6}-[1-8]\d{6}$/,
    hintedForm: /^\d{6}[1-8]\d{6}$/,
    digits: 13,
    check: isKorean,
    chance: 0.05,
    hints: ['rrn', 'resident registration number', 'jumin'],
  }),
  nationalId({
    tag: 'JP_MY_NUMBER',
    country: 'JP',
    form: /^\d{4}([ -]?)\d{4}\1\d{4}$/,
    digits: 12,
    check: isMyNumber,
    chance: 0.1,
    hints: ['my number', 'mynumber', 'individual number', 'kojin bango'],
  }),
  nationalId({
    tag: 'ZA_ID',
    country: 'ZA',
    form: /^\d{6} ?\d{4} ?[01]\d{2}$/,
    digits: 13,
    check: (id) => datedAt(id, 0) && passesLuhn(id),
    chance: 0.01,
    hints: ['id number', 'said', 'identity number', 'rsa id'],
  }),
  nationalId({
    tag: 'AU_TFN',
    country: 'AU',
    form: /^\d{3}([ -]?)\d{3}\1\d{3}$/,
    digits: 9,
    check: isTfn,
    chance: 0.1,
    hints: ['tfn', 'tax file number'],
  }),
];
