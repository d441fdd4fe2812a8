// What a type holds, text by text: the quick comparison with the print says what the slow pattern would.
import { expect, it } from 'vitest';
import { withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { listOf } from '../../../../lib/ingest/engine/sql.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import {
  booleanRung,
  dateRung,
  decimalRung,
  doubleRung,
  macros,
  type Rung,
} from '../../../../lib/ingest/typing/rungs.ts';
import { type StampStyle, stampRung, stampStyles, styleKey } from '../../../../lib/ingest/typing/stamps.ts';
import { inFolder } from '../world.ts';

/** The texts that each rung holds. */
const held = (rungs: readonly Rung[], texts: readonly string[]): Promise<string[][]> =>
  inFolder((workDir) =>
    withEngine({ workDir, limits: defaultReadLimits }, async (engine) => {
      await engine.run(macros);
      const found: string[][] = [];
      for (const { holds, value } of rungs) {
        const valued = `SELECT v, ${value('v')} AS w, place FROM (SELECT unnest(${listOf(texts)}) AS v, unnest(range(${texts.length})) AS place)`;
        const rows = await engine.rows(`SELECT v FROM (${valued}) WHERE ${holds('v', 'w')} ORDER BY place`);
        found.push(rows.map(({ v }) => (typeof v === 'string' ? v : '')));
      }
      return found;
    }),
  );

const days = ['2024-02-29', '0001-01-01', '9999-12-31', '2023-02-30', '0000-01-01', '10000-01-01', '294247-01-10'];
const times = ['10:00', '23:59:59', '10:00:00.5', '10:00:00.500000', '10:00:00.1234567', '24:00:00', '10:60:00'];
const zones = ['', 'Z', '+00', '+00:00', '+02:00', 'z', ' Z'];
/** A moment before the end of time, which the calendar of a zone cannot reach. */
const last = '294247-01-10 04:00:54.775806';
const words = [
  last,
  '',
  'infinity',
  '-infinity',
  'infinityZ',
  'epoch',
  '0044-03-15 (BC) 10:00:00',
  '2024-02-29',
  'éé:éé',
];
const stamps = days.flatMap((day) =>
  ['T', ' '].flatMap((between) => times.flatMap((time) => zones.map((zone) => `${day}${between}${time}${zone}`))),
);

function isOf({ separator, seconds, zone }: StampStyle, text: string): boolean {
  const time = seconds === 'seconds' ? '(10:00:00|23:59:59)(\\.[0-9]{1,6})?' : '10:00';
  const day = '(2024-02-29|0001-01-01|9999-12-31)';
  return new RegExp(`^${day}${separator}${time}${zone.replace('+', '\\+')}$`).test(text);
}

it('a style of timestamps holds what is written in it, whatever year and zone others name', async () => {
  const texts = [...stamps, ...words];
  const found = await held(stampStyles.map(stampRung), texts);
  for (const [place, style] of stampStyles.entries())
    expect(found[place], styleKey(style)).toEqual(texts.filter((text) => isOf(style, text)));
});

it('DATE holds days of four-digit years', async () => {
  expect(await held([dateRung], [...days, ...words])).toEqual([
    ['2024-02-29', '0001-01-01', '9999-12-31', '2024-02-29'],
  ]);
});

it('DOUBLE holds the finite numbers whose shortest print is the same number', async () => {
  const numbers = ['1', '-1', '1.0', '0.10', '.5', '-0', '1e5', '1E5', '1.5e-7', '1.5e-07', '1e22', '5e-324', '1e+16'];
  const same = ['100000000000000000000', '9007199254740992', '0.1', '1.7976931348623157e308'];
  const others = [
    '1e400',
    '-1e400',
    'inf',
    '-inf',
    'nan',
    'NaN',
    'infinity',
    '007',
    '+1',
    ' 1',
    '1.',
    '1_0',
    '0x10',
    '',
  ];
  const lost = ['9007199254740993', '12345678901234567890', '0.12345678901234567890', '4.9e-324'];
  expect(await held([doubleRung], [...numbers, ...same, ...others, ...lost])).toEqual([[...numbers, ...same]]);
});

it('DECIMAL holds what its print begins with, with only zeros behind', async () => {
  const texts = [
    '1.50',
    '1.5',
    '1',
    '.5',
    '-.5',
    '0.5',
    '-0.50',
    '1.505',
    '1.',
    '01.5',
    '+1.5',
    '1e2',
    '-',
    '.',
    '1_0',
  ];
  expect(await held([decimalRung(18, 2)], texts)).toEqual([['1.50', '1.5', '1', '.5', '-.5', '0.5', '-0.50']]);
  expect(await held([decimalRung(18, 18)], ['0.5', '.5', '-0.5', '-.5', '0', '1'])).toEqual([
    ['0.5', '.5', '-0.5', '-.5', '0'],
  ]);
});

it('BOOLEAN holds its two words, in one way of writing', async () => {
  const texts = ['true', 'false', 'TRUE', 'False', 't', '1', ' true', ''];
  expect(await held([booleanRung('lower'), booleanRung('upper'), booleanRung('title')], texts)).toEqual([
    ['true', 'false'],
    ['TRUE'],
    ['False'],
  ]);
});
