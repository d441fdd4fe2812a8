import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReadOptions } from '../../../lib/ingest/options.ts';
import { brief, readBack, refusal } from './world.ts';

/** A column of these values, every one in quotes. */
const column = (...values: readonly string[]): string =>
  `x,y\n${values.map((value) => `"${value.replaceAll('"', '""')}",.`).join('\n')}\n`;

async function read(options: ReadOptions, ...values: readonly string[]) {
  const back = await readBack('t.csv', column(...values), {}, options);
  const warnings = brief(back).filter(({ column: of }) => of === 'x');
  return { type: back.columns[0]?.type, values: back.rows.map(([x]) => x), warnings };
}

const german: ReadOptions = { decimal: ',', thousands: '.' };

describe('numbers written as the caller says', () => {
  it.each<[string, ReadOptions, string[], string, string[]]>([
    [
      'a decimal comma and points',
      german,
      ['1.234,56', '-0,5', '12', '1.234.567,1'],
      'DECIMAL(18,2)',
      ['1234.56', '-0.50', '12.00', '1234567.10'],
    ],
    ['a decimal comma alone', { decimalComma: true }, ['1234,56', ',5'], 'DECIMAL(18,2)', ['1234.56', '0.50']],
    ['commas between thousands', { thousands: ',' }, ['1,234', '12,345,678', '9'], 'BIGINT', ['1234', '12345678', '9']],
    [
      'spaces, narrow and unbreakable ones too',
      { thousands: ' ' },
      ['1 234', '1\u00a0234', '1\u202f234'],
      'BIGINT',
      ['1234', '1234', '1234'],
    ],
    ['apostrophes', { thousands: "'" }, ["1'234.5", '1\u2019234.5'], 'DECIMAL(18,1)', ['1234.5', '1234.5']],
    ['exponents', { decimal: ',' }, ['1,5e3', '2'], 'DOUBLE', ['1500.0', '2.0']],
    ['more digits than a double keeps', german, ['9.007.199.254.740.993,1'], 'DECIMAL(18,1)', ['9007199254740993.1']],
  ])('%s', async (_name, options, written, type, values) => {
    expect(await read(options, ...written)).toEqual({ type, values, warnings: [] });
  });

  it.each<[string, ReadOptions, string[]]>([
    ['a group of two', german, ['1.234,56', '12.34']],
    ['a group of four', { thousands: ',' }, ['1,234', '1,2345']],
    ['groups as in India', { thousands: ',' }, ['1,234', '12,34,567']],
    ['a point that is none', german, ['1,5', '1.5']],
    ['a separator behind the point', { thousands: ',' }, ['1,234', '1.234,567']],
    ['leading zeros', german, ['1,5', '007,5']],
    ['a plus', german, ['1,5', '+2,5']],
  ])('keep a column text where a value has %s', async (_name, options, written) => {
    const { type, values } = await read(options, ...written);
    expect([type, values]).toEqual(['VARCHAR', written]);
  });

  it('says of a column that is text by a few values where the first is', async () => {
    const { warnings } = await read(german, '1.234,5', '2,5', '3.5');
    expect(warnings).toEqual([{ code: 'TYPE_WIDENED', column: 'x', row: 3, count: 1, example: '3.5' }]);
  });

  it('leave dates and words as they are', async () => {
    const back = await readBack('t.csv', 'd,w\n31.12.2023,1.2.3\n01.02.2023,x\n', {}, german);
    expect(back.schema).toEqual(['d DATE', 'w VARCHAR']);
  });

  it('that cannot be told from one another are refused', async () => {
    expect((await refusal('t.csv', 'a\n1\n', {}, { thousands: ',', decimal: ',' })).code).toBe('OPTION_MISFIT');
  });

  it('come back as the numbers that were written, whatever the manner', async () => {
    const manner = fc.record({
      decimal: fc.constantFrom('.' as const, ','),
      thousands: fc.constantFrom(',', '.', ' ', "'", '_'),
    });
    const numbers = fc.array(fc.tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.nat(999)), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(manner, numbers, async ({ decimal, thousands }, values) => {
        fc.pre(decimal !== thousands);
        const grouped = (whole: bigint) => String(whole).replace(/\B(?=(\d{3})+(?!\d))/g, thousands);
        const places = (rest: number) => String(rest).padStart(3, '0');
        const written = values.map(([whole, rest]) => `${grouped(whole)}${decimal}${places(rest)}`);
        const back = await read({ decimal, thousands }, ...written);
        expect(back.values).toEqual(values.map(([whole, rest]) => `${whole}.${places(rest)}`));
      }),
      { numRuns: 20 },
    );
  }, 60_000);
});

describe('signs that the caller says', () => {
  const signs: ReadOptions = { thousands: ',', currency: true, percent: true };

  it.each<[string, string[], string, string[]]>([
    [
      'before the number',
      ['$1,234.50', '-$5', '$-5', '$ 0.10'],
      'DECIMAL(18,2)',
      ['1234.50', '-5.00', '-5.00', '0.10'],
    ],
    ['behind it', ['5 €', '1,000€', '-2.5\u00a0€'], 'DECIMAL(18,1)', ['5.0', '1000.0', '-2.5']],
    ['as letters', ['USD 5', '7 USD', 'USD -1'], 'BIGINT', ['5', '7', '-1']],
    ['of two characters', ['R$5', 'R$ 6'], 'BIGINT', ['5', '6']],
  ])('of a currency, %s', async (_name, written, type, values) => {
    const back = await read(signs, ...written);
    expect([back.type, back.values]).toEqual([type, values]);
    expect(back.warnings).toEqual([{ code: 'CURRENCY_LEFT_OUT', column: 'x', count: written.length }]);
  });

  it('of percent make exact fractions', async () => {
    const back = await read(signs, '12 %', '0.5%', '100%', '-3%', '1,234.5 %', '0%');
    expect(back.type).toBe('DECIMAL(18,3)');
    expect(back.values).toEqual(['0.120', '0.005', '1.000', '-0.030', '12.345', '0.000']);
    expect(back.warnings).toEqual([{ code: 'PERCENT_AS_FRACTION', column: 'x', count: 6 }]);
  });

  it.each<[string, string[]]>([
    ['of two currencies', ['$1', '€2']],
    ['that not all values carry', ['$1', '2']],
    ['that not all values carry, the first of them', ['2', '$1', '$3']],
    ['that stand twice', ['$1$', '$2$']],
    ['before needless zeros', ['007%', '5%']],
    ['of percent and of a currency', ['5%', '$5']],
  ])('keep a column text: %s', async (_name, written) => {
    const { type, values } = await read(signs, ...written);
    expect([type, values]).toEqual(['VARCHAR', written]);
  });

  it('change nothing of a column without one', async () => {
    expect(await read(signs, '1', '2')).toEqual({ type: 'BIGINT', values: ['1', '2'], warnings: [] });
  });

  it('are found where the first rows have no value', async () => {
    const rows = `a,b\n${',x\n'.repeat(200_000)}$5,x\n`;
    expect((await readBack('t.csv', rows, {}, signs)).schema).toEqual(['a BIGINT', 'b VARCHAR']);
  });
});

describe('a type that the caller says', () => {
  it.each<[string, string[], string, string[]]>([
    ['BIGINT', ['007', '+5', ' 42', '7.0', '1e3'], 'BIGINT', ['7', '5', '42', '7', '1000']],
    ['DOUBLE', ['1.10', '7', 'NaN', '-inf', '-0'], 'DOUBLE', ['1.1', '7.0', 'nan', '-inf', '-0.0']],
    ['DECIMAL(9,2)', ['1.5', '007', '3.10'], 'DECIMAL(9,2)', ['1.50', '7.00', '3.10']],
    ['DATE', ['2024-02-29'], 'DATE', ['2024-02-29']],
    [
      'TIMESTAMP',
      ['2024-01-01 10:00', '2024-01-01T10:00:00.5'],
      'TIMESTAMP',
      ['2024-01-01 10:00:00', '2024-01-01 10:00:00.5'],
    ],
    [
      'TIMESTAMPTZ',
      ['2024-01-01T10:00:00+02:00', '2024-01-01 10:00Z', '2024-01-01 10:00:00-0530'],
      'TIMESTAMP WITH TIME ZONE',
      ['2024-01-01 08:00:00+00', '2024-01-01 10:00:00+00', '2024-01-01 15:30:00+00'],
    ],
    ['BOOLEAN', ['yes', 'N', '1', 'False', 't'], 'BOOLEAN', ['true', 'false', 'true', 'false', 'true']],
    ['VARCHAR', ['1', '2'], 'VARCHAR', ['1', '2']],
  ])('%s takes what is the same value', async (type, written, stored, values) => {
    expect(await read({ types: { x: type } }, ...written)).toEqual({ type: stored, values, warnings: [] });
  });

  it.each<[string, string[], string]>([
    ['BIGINT', ['1', '1.5'], '1.5'],
    ['BIGINT', ['9223372036854775808'], '9223372036854775808'],
    ['DOUBLE', ['1', '9007199254740993'], '9007199254740993'],
    ['DOUBLE', ['1e400'], '1e400'],
    ['DECIMAL(5,2)', ['1.234'], '1.234'],
    ['DECIMAL(5,2)', ['1234'], '1234'],
    ['DATE', ['2023-02-29'], '2023-02-29'],
    ['DATE', ['31/12/2023'], '31/12/2023'],
    ['TIMESTAMP', ['2024-01-01T10:00:00Z'], '2024-01-01T10:00:00Z'],
    ['TIMESTAMPTZ', ['2024-01-01T10:00:00'], '2024-01-01T10:00:00'],
    ['BOOLEAN', ['2'], '2'],
    ['BIGINT', ['3', '5 apples'], '5 apples'],
  ])('%s refuses what is not, with the place (%j)', async (type, written, value) => {
    const { code, extra } = await refusal('t.csv', column(...written), {}, { types: { x: type } });
    expect([code, extra]).toEqual([
      'VALUE_MISFIT',
      { column: 'x', row: written.indexOf(value) + 1, line: written.indexOf(value) + 2, type, value },
    ]);
  });

  it.each(['ann@mail.example', 'write to ann@mail.example', 'DE89 3704 0044 0532 0130 00', '4111 1111 1111 1111'])(
    'does not quote a value that may be personal data: %s',
    async (value) => {
      const { code, extra, detail } = await refusal('t.csv', column('2024-01-01', value), {}, { types: { x: 'DATE' } });
      expect([code, extra]).toEqual(['VALUE_MISFIT', { column: 'x', row: 2, line: 3, type: 'DATE' }]);
      expect(detail).toBe('Column "x", row 2 (line 3): a value that may be personal data is no DATE.');
    },
  );

  it('makes what does not fit NULL where the caller says so, and counts it', async () => {
    const back = await read({ types: { x: 'BIGINT' }, onMisfit: 'null' }, '1', 'n/a', '2', '1.5');
    expect([back.type, back.values]).toEqual(['BIGINT', ['1', null, '2', null]]);
    expect(back.warnings).toEqual([{ code: 'MISFIT_AS_NULL', column: 'x', row: 2, count: 2, example: 'n/a' }]);
  });

  it('follows the order of dates and the manner of numbers', async () => {
    const dates = await read({ types: { x: 'DATE' }, dateOrder: 'day first' }, '31/12/2023', '1.2.2024', '2024-03-04');
    expect(dates.values).toEqual(['2023-12-31', '2024-02-01', '2024-03-04']);
    const numbers = await read({ types: { x: 'DECIMAL(9,2)' }, ...german }, '1.234,50', '2');
    expect(numbers.values).toEqual(['1234.50', '2.00']);
  });

  it.each<[string, string[]]>([
    ['DOUBLE', ['0.1', 'NaN']],
    ['BOOLEAN', ['Y', 'f']],
  ])('are %s for eighty columns in the memory of an ingest', async (type, values) => {
    const names = Array.from({ length: 80 }, (_, index) => `c${index}`);
    const lines = [names, ...values.map((value) => names.map(() => value))].map((cells) => cells.join(','));
    const types = Object.fromEntries(names.map((name) => [name, type]));
    const back = await readBack('t.csv', `${lines.join('\n')}\n`, {}, { types });
    expect([back.columns.every((column) => column.type === type), back.rows.length]).toEqual([true, 2]);
  });

  it('of a column that is not there is refused', async () => {
    const fault = await refusal('t.csv', 'a\n1\n', {}, { types: { b: 'DATE' } });
    expect([fault.code, fault.detail]).toEqual(['OPTION_MISFIT', expect.stringContaining('no column "b" to be DATE')]);
  });

  it('is met by every value or refused, never changed', async () => {
    const value = fc.oneof(
      fc.integer().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.constantFrom('007', '1.50', 'x', '1e2', '-0'),
    );
    const type = fc.constantFrom('BIGINT', 'DOUBLE', 'DECIMAL(18,3)');
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 5 }), type, async (values, asked) => {
        const back = await read({ types: { x: asked }, onMisfit: 'null' }, ...values);
        for (const [row, written] of values.entries()) {
          const stored = back.values[row];
          if (typeof stored === 'string') expect(Object.is(Number(stored), Number(written))).toBe(true);
        }
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});
