import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { must } from '../../../../lib/core/check.ts';
import type { Detector } from '../../../../lib/ingest/pii/detector.ts';
import { builtInDetectors } from '../../../../lib/ingest/pii/detectors.ts';
import { detects } from '../../../../lib/ingest/pii/shown-value.ts';

const detectors = builtInDetectors({ today: '2026-01-01' });
const of = (tag: string): Detector =>
  must(
    detectors.find((each) => each.tag === tag),
    tag,
  );

/** Published examples of each, and near misses. */
const vectors: Record<string, { yes: string[]; no: string[]; hinted?: string[] }> = {
  EMAIL: {
    yes: [
      'a@b.co',
      'Ann Lee <ann.lee+x@mail.example.org>',
      "mailto:o'hara@example.ie",
      'jörg@müller.de',
      'user@xn--mller-kva.de',
    ],
    no: ['a@b', '@example.org', 'a@.org', 'logo@2x.png', 'at @home', 'a@b.c', '.@x.org'],
  },
  CREDIT_CARD: {
    yes: [
      '4111111111111111',
      '5555 5555 5555 4444',
      '3782-822463-10005',
      '6011111111111117',
      '3530111333300000',
      '30569309025904',
      '2223003122003222',
      '4222222222222',
      'paid with 4111 1111 1111 1111, thanks',
    ],
    no: [
      '4111111111111112',
      '0000000000000000',
      '9999999999999995',
      '41111111111',
      '1234567812345670',
      '4111.1111.1111.1111',
    ],
  },
  IBAN: {
    yes: [
      'GB82 WEST 1234 5698 7654 32',
      'DE89370400440532013000',
      'fr1420041010050500013m02606',
      'NO9386011117947',
      'MT84MALT011000012345MTLCAST001S',
      'Pay to ES91 2100 0418 4502 0005 1332 soon',
    ],
    no: ['GB82WEST12345698765433', 'DE8937040044053201300', 'XX82WEST12345698765432', 'ORDER 12345'],
  },
  IP_ADDRESS: {
    yes: [
      '192.168.0.1',
      '10.0.0.1',
      '8.8.4.255',
      '203.0.113.9:8080',
      '172.16.0.0/12',
      '2001:db8::1',
      '::ffff:1.2.3.4',
      '[2001:db8::1]:443',
      'fe80::1%eth0',
    ],
    no: [
      '1.2.3.4',
      '256.1.1.1',
      '1.2.3',
      '01.02.03.04',
      '12:34:56',
      '00:1A:2B:3C:4D:5E',
      '00:11:22:33:44:55:66:77',
      '::',
    ],
    hinted: ['1.2.3.4'],
  },
  PHONE: {
    yes: [
      '+47 22 33 00 11',
      '+1 (212) 555-0123'.replace('555-0123', '736-5000'),
      '0044 20 7946 0958',
      'call +49 30 901820 today',
    ],
    no: ['+1 000 000 0000', '2125550123', '2024-01-31', '12345678', 'order 2125550123'],
    hinted: ['(212) 736-5000', '22 33 00 11', '2127365000'],
  },
  US_SSN: {
    yes: ['536-90-4399', '536 90 4399'],
    no: ['000-90-4399', '666-90-4399', '912-90-4399', '536-00-4399', '536-90-0000', '536904399'],
    hinted: ['536904399'],
  },
  CA_SIN: { yes: ['130 692 544', '130692544'], no: ['130692545', '030692544'] },
  BR_CPF: { yes: ['529.982.247-25', '11144477735'], no: ['529.982.247-26', '11111111111'] },
  MX_CURP: { yes: ['BOXW310820HNERXN09'], no: ['BOXW310820HNERXN08', 'BOXW311320HNERXN09'] },
  GB_NINO: {
    yes: ['AB123456C', 'JG 10 37 59 A'],
    no: ['BG123456C', 'DA123456C', 'AO123456C', 'AB123456E'],
    hinted: ['AB123456'],
  },
  GB_NHS: { yes: ['943 476 5870', '9434765919'], no: ['9434765871'] },
  IE_PPS: { yes: ['1234567T', '1234567FA'], no: ['1234567A', '1234567TA'] },
  DE_TAX_ID: { yes: ['86095742719', '47 036 892 816'], no: ['86095742718', '12345678903', '01234567890'] },
  AT_SVNR: { yes: ['1237 010180'], no: ['2237 010180'] },
  CH_AHV: { yes: ['756.9217.0769.85', '7569217076985'], no: ['756.9217.0769.84'] },
  ES_DNI: { yes: ['12345678Z', 'X1234567L', '54362315-K'], no: ['12345678A', 'X1234567M'] },
  FR_NIR: { yes: ['2 55 08 14 168 025 38', '255081416802538'], no: ['255081416802539', '255131416802538'] },
  IT_CODICE_FISCALE: { yes: ['RSSMRA85T10A562S', 'rssmra80a01h501u'], no: ['RSSMRA85T10A562T', 'RSSMRA85Z10A562S'] },
  NL_BSN: { yes: ['111222333', '123456782'], no: ['111222334', '000000000'] },
  BE_NATIONAL_NUMBER: { yes: ['85.07.30-033.28', '85073003328'], no: ['85073003329'] },
  PT_NIF: { yes: ['123456789'], no: ['123456780'] },
  PL_PESEL: { yes: ['44051401359', '02070803628'], no: ['44051401358', '44151401359'] },
  SE_PERSONNUMMER: { yes: ['811218-9876', '198112189876', '670919-9530'], no: ['811218-9877', '811318-9876'] },
  NO_FODSELSNUMMER: { yes: ['15108695088', '151086 95088'], no: ['15108695077', '15118695088'] },
  DK_CPR: { yes: ['211062-5629'], no: ['321062-5629', '2110625629'], hinted: ['2110625629'] },
  FI_HETU: { yes: ['131052-308T'], no: ['131052-308U', '321052-308T'] },
  TR_KIMLIK: { yes: ['17291716060', '10000000146'], no: ['17291716061'] },
  IN_AADHAAR: { yes: ['2341 2341 2346', '234123412346'], no: ['234123412347', '134123412346'] },
  IN_PAN: { yes: ['ABCPE1234F'], no: ['ABCXE1234F'] },
  CN_RESIDENT_ID: {
    yes: ['11010519491231002X', '440524188001010014'],
    no: ['110105194912310021', '11010519491331002X'],
  },
  KR_RRN: { yes: ['880101-1234567'], no: ['881301-1234567', '8801011234567'], hinted: ['8801011234567'] },
  JP_MY_NUMBER: { yes: ['123456789018'], no: ['123456789019'] },
  ZA_ID: { yes: ['8001015009087'], no: ['8001015009088', '8013015009087'] },
  AU_TFN: { yes: ['123 456 782', '123456782'], no: ['123456783'] },
  DOB: { yes: [], no: [], hinted: ['1980-02-29', '29/02/1980', '1980-02-29 00:00:00', '31.12.79', '19800131', '1980'] },
  NAME: { yes: [], no: [], hinted: ['Ann Lee', "Seán O'Hara", 'Łukasz de la Cruz Jr.', '山田 太郎', 'Lee, Ann'] },
};

describe('detectors', () => {
  it('are all tried here', () => {
    expect(Object.keys(vectors).sort()).toEqual(detectors.map(({ tag }) => tag).sort());
  });

  it.each(Object.entries(vectors))(
    '%s knows the published examples from near misses',
    (tag, { yes, no, hinted = [] }) => {
      const detector = of(tag);
      expect(yes.filter((value) => !detects(detector, value, false))).toEqual([]);
      expect(no.filter((value) => detects(detector, value, false))).toEqual([]);
      expect(hinted.filter((value) => !detects(detector, value, true))).toEqual([]);
    },
  );

  it('of dates of birth refuse what nobody is born on', () => {
    const dob = of('DOB');
    for (const value of [
      '2026-01-02',
      '1981-02-29',
      '1700-01-01',
      '99/99/1980',
      '1980-02-29 11:30:00',
      '12345',
      '3000',
    ])
      expect([value, dob.matches(value, true)]).toEqual([value, false]);
  });

  it('of names refuse codes and sentences', () => {
    for (const value of ['A4711', 'a@b.co', 'the quick brown fox jumps over the lazy dog', '12'])
      expect([value, of('NAME').matches(value, true)]).toEqual([value, false]);
  });

  const digitIds = [
    'CREDIT_CARD',
    'IBAN',
    'CA_SIN',
    'BR_CPF',
    'DE_TAX_ID',
    'CH_AHV',
    'NL_BSN',
    'PT_NIF',
    'PL_PESEL',
    'NO_FODSELSNUMMER',
    'TR_KIMLIK',
    'IN_AADHAAR',
    'CN_RESIDENT_ID',
    'ZA_ID',
    'AU_TFN',
    'FR_NIR',
    'BE_NATIONAL_NUMBER',
  ];
  it.each(digitIds)('%s refuses every example in which one digit is another', (tag) => {
    const examples = must(vectors[tag], tag).yes.filter((value) => !value.includes('with') && !value.includes('Pay'));
    const places = examples.flatMap((value) =>
      Array.from(value).flatMap((each, at) => (/\d/.test(each) ? [{ value, at }] : [])),
    );
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.integer({ min: 1, max: 9 }), ({ value, at }, by) => {
        const other = (Number(value[at]) + by) % 10;
        expect(of(tag).matches(`${value.slice(0, at)}${other}${value.slice(at + 1)}`, true)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('take any text in time that grows with its length', () => {
    const hostile = [
      'a'.repeat(1000),
      'a@'.repeat(500),
      '1 '.repeat(500),
      `${'a.'.repeat(400)}@`,
      '1:'.repeat(400),
      '('.repeat(1000),
      `x@${'a.'.repeat(450)}`,
    ];
    const started = performance.now();
    for (const value of hostile) for (const detector of detectors) detects(detector, value, true);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('leave out the ids of other countries, and know phones without a prefix in those that are named', () => {
    const german = builtInDetectors({ countries: ['DE'], today: '2026-01-01' });
    expect(german.filter(({ country }) => country !== undefined).map(({ tag }) => tag)).toEqual(['DE_TAX_ID']);
    const phone = must(
      german.find(({ tag }) => tag === 'PHONE'),
      'PHONE',
    );
    expect(phone.matches('030 901820', true)).toBe(true);
    expect(phone.matches('12', true)).toBe(false);
  });
});
