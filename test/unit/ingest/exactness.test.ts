// The law of ingest as properties: whatever strings a table holds, they come back; and whatever type a column took, the
// value that is stored says what was written. The reading is checked by means of its own, not by those of the room.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordReader } from '../../../lib/ingest/csv/records.ts';
import { type ReadBack, readBack } from './world.ts';

/** Sign, digits and power of ten of a number's text. */
function numberOf(text: string): string {
  const match = /^(-?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/.exec(text);
  if (match === null) throw new TypeError(`not a number: ${text}`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length);
  return short === '' ? `${sign}0` : `${sign}${short}e${power}`;
}

/** What DuckDB prints for a timestamp that was written in ISO 8601. */
const stampOf = (text: string): string => {
  const [, day = '', time = '', seconds = '', fraction = '', zone = ''] =
    /^(.{10})[T ](\d\d:\d\d)(:\d\d)?(\.\d+)?(Z|\+00(?::00)?)?$/.exec(text) ?? [];
  const short = fraction.replace(/\.?0+$/, '');
  return `${day} ${time}${seconds === '' ? ':00' : seconds}${short}${zone === '' ? '' : '+00'}`;
};

/** A needless character makes a number text. */
const canonicalNumber = /^-?((0|[1-9][0-9]*)(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/;

function expectSame(written: string, stored: string | null, type: string): void {
  const printed = stored ?? 'NULL';
  if (type === 'DOUBLE' || type.startsWith('DECIMAL')) {
    expect(written).toMatch(canonicalNumber);
    expect(numberOf(printed)).toBe(numberOf(written));
  } else if (type.startsWith('TIMESTAMP')) expect(printed).toBe(stampOf(written));
  else if (type === 'BOOLEAN') expect(printed).toBe(written.toLowerCase());
  else expect(printed).toBe(written);
}

const digits = (length: number) =>
  fc.string({
    unit: fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7', '8', '9'),
    minLength: 1,
    maxLength: length,
  });
const two = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
const day = fc
  .tuple(fc.integer({ min: 0, max: 2100 }), two(13), two(32))
  .map(([y, m, d]) => `${String(y).padStart(4, '0')}-${m}-${d}`);
const sampleOf = (...texts: string[]) => fc.constantFrom(...texts);

/** Kinds of values that a column may be made of. */
const kinds = {
  integer: fc.oneof(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String), digits(40)),
  decimal: fc.tuple(sampleOf('', '-', '+'), digits(6), sampleOf('', '.'), digits(8)).map((parts) => parts.join('')),
  float: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc
      .tuple(digits(19), sampleOf('.', ''), digits(3), sampleOf('e', 'E', 'e+', 'e-'), digits(3))
      .map((parts) => parts.join('')),
  ),
  small: sampleOf(
    '0',
    '1',
    '-0',
    '0.0',
    '-0.0',
    '00',
    '.5',
    '5.',
    '1e0',
    ' 1',
    '1 ',
    '-',
    '.',
    'e',
    'NaN',
    'inf',
    '1_0',
  ),
  day,
  stamp: fc
    .tuple(
      day,
      sampleOf('T', ' '),
      two(25),
      two(60),
      sampleOf('', ':00', ':59.1', ':00.123456', ':01.1234567', ':60'),
      sampleOf('', '', 'Z', '+00', '+00:00', '+02:00'),
    )
    .map(([date, t, hour, minute, rest, zone]) => `${date}${t}${hour}:${minute}${rest}${zone}`),
  word: sampleOf('true', 'false', 'TRUE', 'False', 'NA', 'null', 'infinity', 'epoch', '01/02/2023'),
  text: fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    sampleOf('', '"', '""', ',', '\n', '\r', '\r\n', 'a\rb', '\ufeff', '\t', "'", '\\', '#'),
  ),
};
const kind = fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[]));

/** Mostly of one kind, so that types are taken and nearly taken; null is an empty field. */
const columnOf = (rows: number) =>
  fc.tuple(kind, kind).chain(([usual, odd]) =>
    fc.array(
      fc.oneof(
        { weight: 20, arbitrary: kinds[usual] },
        { weight: 1, arbitrary: kinds[odd] },
        { weight: 2, arbitrary: fc.constant(null) },
      ),
      {
        minLength: rows,
        maxLength: rows,
      },
    ),
  );
const tableOf = fc
  .tuple(fc.integer({ min: 2, max: 12 }), fc.integer({ min: 1, max: 12 }))
  .chain(([columns, rows]) => fc.array(columnOf(rows), { minLength: columns, maxLength: columns }))
  .map((columns) => (columns[0] ?? []).map((_, row) => columns.map((column) => column[row] ?? null)));

const needsQuotes = (text: string): boolean => text === '' || /[",\r\n]/.test(text);
const field = (value: string | null, quoteAll: boolean): string => {
  if (value === null) return '';
  return quoteAll || needsQuotes(value) ? `"${value.replaceAll('"', '""')}"` : value;
};
const isWhole = (value: string | null): boolean => value === null || (value.isWellFormed() && !value.includes('\0'));

function expectTable(read: ReadBack, table: readonly (readonly (string | null)[])[]): void {
  expect(read.rowCount).toBe(table.length);
  for (const [row, values] of table.entries()) {
    for (const [index, written] of values.entries()) {
      const stored = read.rows[row]?.[index] ?? null;
      if (written === null) expect(stored).toBeNull();
      else expectSame(written, stored, read.columns[index]?.type ?? '');
    }
  }
}

/** A file that is control characters for the most part is refused as no text, so a table here has none. */
const looksBinary = (text: string): boolean => /[^\P{Cc}\t\n\r]/u.test(text);

describe('no value changes', () => {
  it('in a CSV of any strings, whatever the line end and the quoting', async () => {
    const lineEnds = fc.constantFrom('\n', '\r\n');
    await fc.assert(
      fc.asyncProperty(tableOf, lineEnds, fc.boolean(), async (table, lineEnd, quoteAll) => {
        fc.pre(table.flat().every(isWhole) && (!quoteAll || table.flat().includes(null)));
        fc.pre(!looksBinary(table.flat().join('')));
        const header = table[0]?.map((_, index) => `h${index}`).join() ?? '';
        const lines = table.map((values) => values.map((value) => field(value, quoteAll)).join());
        expectTable(await readBack('t.csv', [header, ...lines, ''].join(lineEnd)), table);
      }),
      { numRuns: 80 },
    );
  }, 60_000);

  it('in JSON: numbers by their lexeme, texts to the character', async () => {
    const lexeme = fc
      .tuple(
        sampleOf('', '-'),
        fc.oneof(sampleOf('0'), fc.bigInt({ min: 1n, max: 10n ** 25n }).map(String)),
        sampleOf('', '.'),
        digits(6),
        sampleOf('', 'e', 'E-', 'e+'),
        digits(3),
      )
      .map(
        ([sign, whole, point, fraction, e, power]) =>
          `${sign}${whole}${point === '' ? '' : point + fraction}${e === '' ? '' : e + power}`,
      );
    const record = fc.record({ n: lexeme, t: fc.string({ unit: 'binary' }) });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 12 }), fc.boolean(), async (records, lines) => {
        fc.pre(records.every(({ t }) => t.isWellFormed()));
        const texts = records.map(({ n, t }) => `{"n": ${n}, "t": ${JSON.stringify(t)}}`);
        const read = lines
          ? await readBack('t.ndjson', texts.join('\n'))
          : await readBack('t.json', `[${texts.join(', ')}]`);
        expectTable(
          read,
          records.map(({ n, t }) => [n, t]),
        );
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});

describe('the grammar of CSV', () => {
  it('reads the same records however the bytes are cut into windows', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '"', ',', '\r', '\n'), maxLength: 30 });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom('lf' as const, 'cr' as const),
        (content, cut, newline) => {
          const bytes = Buffer.from(content);
          const { record, read } = recordReader({ delimiter: ',', newline, quoting: 'rfc4180' }, 40);
          const first = read(bytes, 0, Math.min(cut, bytes.length), false);
          fc.pre(bytes.length > 0 && first >= 0);
          const early = [first, record.fields, ...record.ends.subarray(0, record.fields)];
          const again = read(bytes, 0, bytes.length, true);
          expect(early).toEqual([again, record.fields, ...record.ends.subarray(0, record.fields)]);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
