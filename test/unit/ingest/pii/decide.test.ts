import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passesLuhn } from '../../../../lib/ingest/pii/checks.ts';
import { byChance, decide, isPersonal } from '../../../../lib/ingest/pii/decide.ts';
import { builtInDetectors } from '../../../../lib/ingest/pii/detectors.ts';
import { hintsAt, namedBy, wordsOf } from '../../../../lib/ingest/pii/hints.ts';
import { plainNumber } from '../../../../lib/ingest/pii/shown-value.ts';

const detectors = builtInDetectors({ today: '2026-01-01' });
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const tagOf = (name: string, values: readonly string[], type = 'VARCHAR', table = 't') =>
  decide({ name, type, values }, table, detectors)?.tag;

/** Sixteen digits with the check digit of Luhn, or with another. */
function card(at: number, valid: boolean): string {
  const head = `4${String(100_000_000_000_000 + at * 7919).slice(1)}0`.padEnd(15, '0').slice(0, 15);
  const check = '0123456789'.split('').find((digit) => passesLuhn(head + digit) === valid);
  return `${head}${check}`;
}

describe('the tag of a column', () => {
  it('is that of its values, and its share is of the different ones', () => {
    const values = [...many(90, (at) => `u${at}@x.org`), ...many(10, (at) => `none ${at}`)];
    expect(decide({ name: 'contact', type: 'VARCHAR', values }, 't', detectors)).toEqual({
      tag: 'EMAIL',
      share: 0.9,
      source: 'rule',
    });
  });

  it('needs fewer values where their form is telling than where it is digits', () => {
    expect(tagOf('x', [...many(20, (at) => `u${at}@x.org`), ...many(80, (at) => `t${at}`)])).toBe('EMAIL');
    expect(tagOf('x', [...many(5, (at) => `u${at}@x.org`), ...many(95, (at) => `t${at}`)])).toBeUndefined();
    expect(tagOf('x', [...many(40, (at) => card(at, true)), ...many(60, (at) => `t${at}`)])).toBeUndefined();
    expect(tagOf('card_number', [...many(40, (at) => card(at, true)), ...many(60, (at) => `t${at}`)])).toBe(
      'CREDIT_CARD',
    );
  });

  it('is no card where order numbers pass by chance', () => {
    const orders = many(1000, (at) => String(4_000_000_000_000_000 + at * 13));
    expect(orders.filter(passesLuhn).length).toBeGreaterThan(50);
    expect(tagOf('order_no', orders)).toBeUndefined();
    expect(tagOf('order_no', orders, 'BIGINT')).toBeUndefined();
  });

  it('is not given for one number that chance would give', () => {
    expect(tagOf('n', [card(1, true)])).toBeUndefined();
    expect(tagOf('n', [card(1, true), card(2, true)])).toBe('CREDIT_CARD');
    expect(tagOf('pan', [card(1, true)])).toBe('CREDIT_CARD');
  });

  it.each(['BIGINT', 'HUGEINT', 'DECIMAL(20,0)', 'VARCHAR'])('is found in numbers of type %s', (type) => {
    expect(
      tagOf(
        'n',
        many(50, (at) => card(at, true)),
        type,
      ),
    ).toBe('CREDIT_CARD');
  });

  it('is found in numbers of a spreadsheet, and in ids that lost their leading zeros', () => {
    expect(
      tagOf(
        'n',
        many(20, (at) => `${card(at, true)}.0`),
        'DOUBLE',
      ),
    ).toBe('CREDIT_CARD');
    expect(tagOf('ssn', ['78051120', '1234567', '536904399'], 'BIGINT')).toBe('US_SSN');
    expect(plainNumber('4.111111111111111e15')).toBe('4111111111111111');
  });

  it('is not made of bare digits without a hint', () => {
    const numbers = many(100, (at) => String(212_736_5000 + at));
    expect(tagOf('quantity', numbers, 'BIGINT')).toBeUndefined();
    expect(tagOf('mobile', numbers, 'BIGINT')).toBe('PHONE');
  });

  it('is not made by a name alone: hashes in a column called email are no addresses', () => {
    expect(
      tagOf(
        'email',
        many(20, (at) => `5f4dcc3b5aa765d61d8327deb882cf${at}`),
      ),
    ).toBeUndefined();
  });

  it('is no address for versions of software', () => {
    const versions = many(50, (at) => `${1 + (at % 3)}.${at % 10}.${at % 7}.${at % 12}`);
    expect(tagOf('version', versions)).toBeUndefined();
    expect(tagOf('client_ip', versions)).toBe('IP_ADDRESS');
  });

  it('takes dates for births, and words for names, only where the column says so', () => {
    const days = many(40, (at) => `19${50 + at}-03-0${1 + (at % 9)}`);
    expect(tagOf('created', days, 'DATE')).toBeUndefined();
    expect(decide({ name: 'date_of_birth', type: 'DATE', values: days }, 't', detectors)).toEqual({
      tag: 'DOB',
      share: 1,
      source: 'hint',
    });
    expect(
      tagOf(
        'birthDate',
        many(40, (at) => `2${at}00-01-01`),
        'DATE',
      ),
    ).toBeUndefined();
    expect(tagOf('last_name', ['Lee', 'Okafor', 'García'])).toBe('NAME');
    expect(tagOf('name', ['Lee', 'Okafor'], 'VARCHAR', 'customers')).toBe('NAME');
    expect(tagOf('name', ['Oslo', 'Bergen'], 'VARCHAR', 'cities')).toBeUndefined();
    expect(tagOf('product_name', ['Lamp', 'Chair'])).toBeUndefined();
  });

  it('looks into nested values, and at their keys', () => {
    expect(
      tagOf(
        'who',
        many(9, (at) => `{"mail":"u${at}@x.org","n":${at}}`),
        'STRUCT(mail VARCHAR, n BIGINT)',
      ),
    ).toBe('EMAIL');
    expect(tagOf('who', ['{"last_name":"Lee"}', '{"last_name":"Okafor"}'], 'JSON')).toBe('NAME');
    expect(tagOf('who', ['{"city":"Oslo"}', '{"city":"Bergen"}'], 'JSON')).toBeUndefined();
  });

  it('is none for prose, codes, hashes, coordinates and amounts', () => {
    const columns: Record<string, (at: number) => string> = {
      prose: (at) => `The ${at}th order was sent on 2024-01-${at % 28}, see page ${at}.`,
      uuid: (at) => `6f1c2b4e-0000-4000-8000-${String(at).padStart(12, '0')}`,
      hash: (at) => `9e107d9d372bb6826bd81d3542a419${String(at).padStart(2, '0')}`,
      point: (at) => `59.${at}123, 10.${at}456`,
      amount: (at) => `${at},${at % 10}00.50`,
      sku: (at) => `AB-${1000 + at}-X`,
      ean: (at) => String(4_006_381_333_900 + at),
      millis: (at) => String(1_700_000_000_000 + at * 1000),
    };
    for (const [name, make] of Object.entries(columns))
      expect([name, tagOf(name, many(200, make))]).toEqual([name, undefined]);
  });

  it('is not found in numbers at random', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 8, max: 19 }),
        fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 200, maxLength: 200 }),
        (length, seeds) => {
          const values = [
            ...new Set(
              seeds.map((seed) =>
                String(BigInt(seed) * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n).slice(0, length),
              ),
            ),
          ];
          expect(tagOf('n', values, 'BIGINT')).toBeUndefined();
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('a value of a column without a tag', () => {
  it('is personal where any detector knows it', () => {
    expect(isPersonal('write to ann@x.org', 'VARCHAR', detectors)).toBe(true);
    expect(isPersonal('4111111111111111', 'BIGINT', detectors)).toBe(true);
    expect(isPersonal('{"a":["+47 22 33 00 11"]}', 'JSON', detectors)).toBe(true);
    expect(isPersonal('Oslo', 'VARCHAR', detectors)).toBe(false);
  });
});

describe('the name of a column', () => {
  const ip = { tag: 'IP_ADDRESS', hints: ['ip'] };
  it('is cut into words at capitals, digits and marks', () => {
    expect(wordsOf('clientIPAddress')).toEqual(['client', 'ip', 'address']);
    expect(wordsOf('Numéro-de_téléphone 2')).toEqual(['numero', 'de', 'telephone', '2'].filter((word) => word !== ''));
    expect(wordsOf('phone1')).toEqual(['phone1', 'phone']);
  });

  it.each(['description', 'zip', 'recipient', 'ship_date', 'IPO', 'tip'])('%s does not say ip', (name) => {
    expect(hintsAt(ip, namedBy(name, 't'))).toBe(false);
  });

  it.each(['ip', 'client_ip', 'ClientIp', 'IP', 'ip-2', 'Source IP'])('%s does', (name) => {
    expect(hintsAt(ip, namedBy(name, 't'))).toBe(true);
  });
});

describe('what chance gives', () => {
  it('is the tail of the binomial distribution', () => {
    expect(byChance(1, 1, 0.1)).toBeCloseTo(0.1, 10);
    expect(byChance(2, 2, 0.1)).toBeCloseTo(0.01, 10);
    expect(byChance(10, 0, 0.1)).toBe(1);
    expect(byChance(3, 1, 0.5)).toBeCloseTo(0.875, 10);
    expect(byChance(1000, 900, 0.1)).toBeCloseTo(0, 10);
  });
});
