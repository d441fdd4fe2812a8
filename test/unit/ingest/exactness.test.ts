// The law of ingest as properties: whatever strings a table holds, they come back; and whatever type a column took, the
// value that is stored says what was written. The reading is checked by means of its own, not by those of the room.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordReader } from '../../../lib/ingest/csv/records.ts';
import { type AnyTable, anyTable, lexeme, sayBriefly, written } from './any-table.ts';
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

/** How the day that DuckDB prints may have been written: ISO 8601, and day and month in both orders. */
const datesOf = (printed: string): string[] => {
  const [year = '', month = '', day = ''] = printed.split('-');
  const orders = [`${day}/${month}/${year}`, `${month}/${day}/${year}`];
  return [printed, ...orders, ...orders.map((text) => text.replace(/\b0(?=\d\/)/g, ''))];
};

/** A needless character makes a number text. */
const canonicalNumber = /^-?((0|[1-9][0-9]*)(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/;

function expectSame(written: string, stored: string | null, type: string): void {
  const printed = stored ?? 'NULL';
  if (type === 'DOUBLE' || type.startsWith('DECIMAL')) {
    expect(written).toMatch(canonicalNumber);
    expect(numberOf(printed)).toBe(numberOf(written));
  } else if (type.startsWith('TIMESTAMP')) expect(printed).toBe(stampOf(written));
  else if (type === 'DATE') expect(datesOf(printed)).toContain(written);
  else if (type === 'BOOLEAN') expect(printed).toBe(written.toLowerCase());
  else expect(printed).toBe(written);
}

function expectTable(read: ReadBack, table: AnyTable): void {
  expect(read.rowCount).toBe(table.length);
  for (const [row, values] of table.entries()) {
    for (const [index, written] of values.entries()) {
      const stored = read.rows[row]?.[index] ?? null;
      if (written === null) expect(stored).toBeNull();
      else expectSame(written, stored, read.columns[index]?.type ?? '');
    }
  }
}

const lineEnds = fc.constantFrom('\n', '\r\n');
/** ASCII signs that may stand between fields. */
const delimiters = fc.constantFrom(...Array.from('\t,;|:!#$%&*+-./=?@^_~'));
const encodings = fc.constantFrom('utf-8' as const, 'utf-16le' as const, 'utf-16be' as const);

/** Where all fields of a file are quoted, an empty one may be NULL or a text, and is not told apart. */
const saysNull = (table: AnyTable, quoteAll: boolean): boolean => !quoteAll || table.flat().includes(null);

function encoded(text: string, encoding: 'utf-8' | 'utf-16le' | 'utf-16be'): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  return encoding === 'utf-16le' ? Buffer.from(text, 'utf16le') : Buffer.from(text, 'utf16le').swap16();
}

describe('no value changes', () => {
  it('in a CSV of any strings, whatever the line end and the quoting', async () => {
    await fc.assert(
      fc.asyncProperty(anyTable, lineEnds, fc.boolean(), async (table, lineEnd, quoteAll) => {
        fc.pre(saysNull(table, quoteAll));
        const text = written(table, { delimiter: ',', lineEnd, quoteAll }, 'header');
        expectTable(await readBack('t.csv', text), table);
      }),
      { numRuns: 40, plugins: [sayBriefly] },
    );
  }, 60_000);

  it('in a dialect and an encoding that the options name, with a header and without', async () => {
    const dialect = fc.record({ delimiter: delimiters, lineEnd: lineEnds, quoteAll: fc.boolean() });
    const headerRows = fc.constantFrom(0, 1);
    const property = fc.asyncProperty(
      anyTable,
      dialect,
      encodings,
      fc.boolean(),
      headerRows,
      async (table, { delimiter, ...how }, encoding, marked, headerRow) => {
        fc.pre(saysNull(table, how.quoteAll));
        const text = written(table, { delimiter, ...how }, headerRow === 1 ? 'header' : 'no header');
        // What begins like JSON or a page is refused, and a mark at the front is the file's own.
        fc.pre(!/^\s*[{["<]/.test(text) && (marked || !text.startsWith('\ufeff')));
        const bytes = encoded(`${marked ? '\ufeff' : ''}${text}`, encoding);
        expectTable(await readBack('t.csv', bytes, {}, { delimiter, encoding, headerRow }), table);
      },
    );
    await fc.assert(property, { numRuns: 25, plugins: [sayBriefly] });
  }, 60_000);

  it('in JSON: numbers by their lexeme, texts to the character', async () => {
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
      { numRuns: 40, plugins: [sayBriefly] },
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
      { numRuns: 3000, plugins: [sayBriefly] },
    );
  });
});
