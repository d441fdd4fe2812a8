// What a type of numbers that is asked for holds: the quick comparison with the print says what an exact one would.
import { expect, it } from 'vitest';
import { withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { listOf } from '../../../../lib/ingest/engine/sql.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { forcedRung } from '../../../../lib/ingest/typing/forced.ts';
import { macros } from '../../../../lib/ingest/typing/rungs.ts';
import { inFolder } from '../world.ts';

const LOOSE = /^\s*([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?\s*$/;

/** A number as its sign, its digits without zeros around them, and the power of ten of the last. */
function exactly(text: string) {
  const [, sign = '', figures = '', exponent = '0'] = LOOSE.exec(text) ?? [];
  if (figures === '') return undefined;
  const [whole = '', fraction = ''] = figures.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  const isZero = short === '';
  const power = isZero ? 0 : Number(exponent) - fraction.length + digits.length - short.length;
  return { isNegative: sign === '-', isZero, short, power };
}

type Number_ = NonNullable<ReturnType<typeof exactly>>;

/** `digits` in all, `scale` of them behind the point; no negative zero. */
const decimal =
  (digits: number, scale: number) =>
  ({ isNegative, isZero, short, power }: Number_): boolean =>
    isZero ? !isNegative : power >= -scale && short.length + power <= digits - scale;

const bigint = ({ isNegative, isZero, short, power }: Number_): boolean => {
  if (isZero) return !isNegative;
  if (power < 0 || short.length + power > 19) return false;
  const value = BigInt(short + '0'.repeat(power)) * (isNegative ? -1n : 1n);
  return BigInt.asIntN(64, value) === value;
};

/** Of which the shortest print is the same number. */
const double = ({ isNegative, ...number }: Number_): boolean => {
  const value = Number(`${number.short || '0'}e${number.power}`);
  if (!Number.isFinite(value)) return false;
  return JSON.stringify(exactly(String(value))) === JSON.stringify({ isNegative: false, ...number });
};

const types: [string, (number: Number_) => boolean][] = [
  ['BIGINT', bigint],
  ['DECIMAL(5,2)', decimal(5, 2)],
  ['DECIMAL(2,2)', decimal(2, 2)],
  ['DECIMAL(18,4)', decimal(18, 4)],
  ['DECIMAL(38,0)', decimal(38, 0)],
  ['DOUBLE', double],
];

const wholes = [
  '',
  '0',
  '00',
  '1',
  '007',
  '5',
  '12',
  '120',
  '999',
  '1000',
  '9223372036854775807',
  '9223372036854775808',
  '9007199254740993',
  '1'.repeat(39),
];
const fractions = ['', '.', '.0', '.5', '.50', '.05', '.123', '.99', '.999', '.1000000000000000055'];
const exponents = ['', 'e0', 'e2', 'E+2', 'e-2', 'e400'];
const figures = wholes.flatMap((whole) =>
  fractions.flatMap((fraction) => exponents.map((end) => whole + fraction + end)),
);
const texts = [
  ...['', '-', '+', ' ', '+-'].flatMap((before) => figures.map((each) => before + each)),
  ...['1 ', ' 1.50 ', '1 2', '1,5', '0x10', '1_000', '١', 'x', '1.5.5', '1e', '12-', 'true'],
];

it.each(types)('%s holds the numbers that it keeps', async (type, keeps) => {
  const { holds, value } = forcedRung(type);
  const found = await inFolder((workDir) =>
    withEngine({ workDir, limits: defaultReadLimits }, async (engine) => {
      await engine.run(macros);
      const valued = `SELECT v, ${value('v')} AS w, place FROM (SELECT unnest(${listOf(texts)}) AS v, unnest(range(${texts.length})) AS place)`;
      return engine.texts(`SELECT v FROM (${valued}) WHERE ${holds('v', 'w')} ORDER BY place`);
    }),
  );
  const wanted = texts.filter((text) => {
    const number = exactly(text);
    return number !== undefined && keeps(number);
  });
  const holding = new Set(found.map(([text]) => text));
  expect([...holding].filter((text) => !wanted.includes(text ?? ''))).toEqual([]);
  // DuckDB reads a power below zero as a DECIMAL where the figures before it fit, and else not at all.
  const missed = wanted.filter((text) => !holding.has(text));
  expect(missed.filter((text) => !(type.startsWith('DECIMAL') && text.includes('e-')))).toEqual([]);
  expect(holding.size).toBeGreaterThan(30);
});
