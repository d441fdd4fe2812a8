// Tables of any strings, mostly such that types are taken and nearly taken, and the text that a dialect makes of them.
import fc from 'fast-check';

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

/** Numbers as JSON writes them. */
export const lexeme = fc
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

const marks = ['', '"', '""', ',', '\n', '\r', '\r\n', 'a\rb', '\t', "'", '\\', '#', '__proto__', '\u2028', '\u0301'];
/** Takes as often as all other marks: what stands at the start of a file is not what it is elsewhere. */
const orderMarks = ['\ufeff', '\ufeff1', '\ufeff"', '\ufffe'];
const small = ['0', '1', '-0', '0.0', '-0.0', '00', '.5', '5.', '1e0', ' 1', '1 ', '-', '.', 'e', 'NaN', 'inf', '1_0'];

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
  small: sampleOf(...small),
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
  dayMonth: fc.tuple(two(32), two(13), fc.integer({ min: 1, max: 2100 })).map((parts) => parts.join('/')),
  word: sampleOf('true', 'false', 'TRUE', 'False', 'NA', 'null', 'infinity', 'epoch', '01/02/2023'),
  text: fc.oneof(fc.string(), fc.string({ unit: 'binary' }), sampleOf(...marks), sampleOf(...orderMarks)),
};
const kind = fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[]));

/** Mostly of one kind, so that types are taken and nearly taken; null is an empty field. */
const columnOf = (rows: number) =>
  fc
    .tuple(kind, kind)
    .chain(([usual, odd]) =>
      fc.array(
        fc.oneof(
          { weight: 20, arbitrary: kinds[usual] },
          { weight: 1, arbitrary: kinds[odd] },
          { weight: 2, arbitrary: fc.constant(null) },
        ),
        { minLength: rows, maxLength: rows },
      ),
    );

export type AnyTable = readonly (readonly (string | null)[])[];

/** A file that is control characters for the most part is refused as no text; no encoding writes half a surrogate pair. */
const isText = (value: string | null): boolean =>
  value === null || (value.isWellFormed() && !/[^\P{Cc}\t\n\r]/u.test(value));

/** Rows of equal width, two to twelve columns. */
export const anyTable: fc.Arbitrary<AnyTable> = fc
  .tuple(fc.integer({ min: 2, max: 12 }), fc.integer({ min: 1, max: 12 }))
  .chain(([columns, rows]) => fc.array(columnOf(rows), { minLength: columns, maxLength: columns }))
  .map((columns) => (columns[0] ?? []).map((_, row) => columns.map((column) => column[row] ?? null)))
  .filter((table) => table.flat().every(isText));

export interface Written {
  readonly delimiter: string;
  readonly lineEnd: string;
  /** Also fields that need no quotes have them. */
  readonly quoteAll: boolean;
}

/** The table as CSV, a header of h0, h1, … on top if asked; null is an empty field without quotes. */
export function written(table: AnyTable, dialect: Written, header: 'header' | 'no header'): string {
  const { delimiter, lineEnd, quoteAll } = dialect;
  const needsQuotes = (text: string): boolean => text === '' || text.includes(delimiter) || /["\r\n]/.test(text);
  const field = (value: string | null): string => {
    if (value === null) return '';
    return quoteAll || needsQuotes(value) ? `"${value.replaceAll('"', '""')}"` : value;
  };
  const names = header === 'header' ? [table[0]?.map((_, index) => `h${index}`) ?? []] : [];
  return [...names, ...table].map((values) => `${values.map(field).join(delimiter)}${lineEnd}`).join('');
}

const SHOWN = 2000;

/** Ends a failed property with the seed first, and the smallest case in one line of ASCII that survives a log. */
export const sayBriefly: fc.Plugin<unknown> = () => ({
  onAllRunsComplete: ({ failed, seed, counterexample, counterexamplePath, errorInstance }) => {
    if (!failed) return;
    const shown = JSON.stringify(counterexample ?? 'too many draws were left out').slice(0, SHOWN);
    const escaped = shown.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
    throw new Error(`seed ${seed}, path ${counterexamplePath ?? ''}: ${escaped}`, { cause: errorInstance });
  },
});
