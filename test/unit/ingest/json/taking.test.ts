// Records that are taken in one go give what they give when they are read member by member.
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptColumn, keyColumns } from '../../../../lib/ingest/json/columns.ts';
import { writeAhead } from '../../../../lib/ingest/json/flatten.ts';
import { tally } from '../../../../lib/ingest/json/kinds.ts';
import { type JsonFormat, readRecords, type Taken } from '../../../../lib/ingest/json/records.ts';
import { eachTaken } from '../../../../lib/ingest/json/taking.ts';
import { inFolder } from '../world.ts';

type Place = readonly [start: number, end: number];

/** All that is found in the records, taken or not, and how many were taken. */
const read = (
  content: string | Buffer,
  format: JsonFormat,
  way: 'take' | 'read',
  { onBadRecord, together = true }: { readonly onBadRecord?: 'reject' | undefined; readonly together?: boolean } = {},
) =>
  inFolder(async (folder) => {
    const [path, target] = ['in', 'rows'].map((name) => join(folder, name)) as [string, string];
    await writeFile(path, content);
    await using file = await open(target, 'w');
    const columns = keyColumns(100);
    const ahead = writeAhead(columns, { fd: file.fd, maxBytes: 1e9 });
    const places: Place[] = [];
    const left: Place[] = [];
    let takes = 0;
    const visit: Parameters<typeof readRecords>[2] = (bytes, members, offset) => {
      places.push([offset, offset + members.end - members.start]);
      tally(columns, bytes, members, places.length);
      ahead.add(bytes, members);
    };
    const taken: Taken = (records, offset) => {
      takes += records.count;
      eachTaken(records, (start, end) => places.push([offset + start, offset + end]));
      if (together) ahead.tookAll();
      else eachTaken(records, () => ahead.took());
    };
    const source = { path, start: 0, maxRecordBytes: 1 << 20, onBadRecord };
    const how = way === 'take' ? { taking: ahead.taking, taken } : {};
    const leaveOut = (_: Buffer, start: number, end: number, offset: number) => left.push([offset, end - start]);
    const ended = await readRecords(source, format, visit, { ...how, leaveOut }).catch((thrown: unknown) => thrown);
    const flat = ahead.end();
    const rows = flat && (await readFile(target, 'utf8'));
    return { found: { ended, places, left, flat, rows, keys: columns.list.map(keptColumn) }, takes };
  });

const hex = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
/** Any character, as it is or as an escape. */
const characters = fc
  .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.boolean())
  .map(([character, isEscaped]) =>
    isEscaped
      ? Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at))).join('')
      : JSON.stringify(character).slice(1, -1),
  );
const anyText = fc.array(characters, { maxLength: 40 }).map((some) => `"${some.join('')}"`);
const texts = fc.constantFrom(
  ...['""', '"x"', '"Köln, DE"', '"a longer text, with a comma"', '"\\"q\\" \\\\ \\/"', '"\\n"', '"ends \\t"'],
  ...['"\\u00e9\\u20ac"', '"\\ud83d\\ude00"', '"\\u0022\\u0041"', '"😀😀"', '"2024-01-02"'],
);
const numbers = fc.constantFrom(
  ...['0', '-0', '12', '9007199254740993', '1.10', '-0.5', '1e400', '2.5E-7', '1E+5', '0e0', '-1.50e-10'],
  ...['123456789012345678901234567890', '0.12345678901234567890123'],
);
const nested = fc.constantFrom('[]', '{}', '[1, "x"]', '{"a": {"b": "\\""}}', '[\r1]');
const broken = fc.constantFrom(
  ...['"\\x"', '"\\ud800"', '"\\ud800\\u0041"', '"\\udc00"', '"\\u12g4"', '"a\tb"', '"a\nb"', '"open', ''],
  ...['01', '-01', '1.', '.5', '+1', '-', '1e', '1e+', '1.e5', '1.5.2', 'NaN', '-Infinity'],
  ...['nul', 'nulll', 'tru', 'False', 'truefalse', '[1,]', '[,1]', '{"a"}', '{"a":}', '{a:1}', '[1}', '{"a":1]'],
);
const values = fc.oneof(
  { weight: 60, arbitrary: fc.oneof(texts, anyText, numbers, fc.constantFrom('true', 'false', 'null'), nested) },
  { weight: 1, arbitrary: broken },
);
const forms = fc.constantFrom<readonly string[]>(
  ['a', 'b', 'c'],
  ['a', 'c'],
  ['b'],
  [],
  ['c', 'a'],
  ['a', 'a'],
  ['d', 'b'],
);

const record = fc
  .record({
    form: forms,
    values: fc.array(values, { minLength: 3, maxLength: 3 }),
    space: fc.constantFrom('', '', ' '),
  })
  .map(({ form, values: of, space }) => `{${form.map((key, at) => `"${key}":${space}${of[at] ?? ''}`).join(',')}}`);
const lineEnds = fc.constantFrom('\n', '\n', '\r\n', '\n\n');

describe('taking records', () => {
  it('gives the rows, the counts, the places and the refusals of reading them', async () => {
    const records = fc.array(record, { minLength: 1, maxLength: 30 });
    const ways = fc.record({
      format: fc.constantFrom<JsonFormat>('json', 'ndjson'),
      onBadRecord: fc.constantFrom(undefined, 'reject' as const),
      lineEnd: lineEnds,
      together: fc.boolean(),
      length: fc.oneof(fc.constant(Infinity), fc.nat(1000)),
    });
    let takes = 0;
    await fc.assert(
      fc.asyncProperty(records, ways, async (some, { format, onBadRecord, lineEnd, length, together }) => {
        const whole = format === 'json' ? `[${some.join(`,${lineEnd}`)}]` : some.join(lineEnd);
        const content = whole.slice(0, length);
        const took = await read(content, format, 'take', { onBadRecord, together });
        expect(took.found).toEqual((await read(content, format, 'read', { onBadRecord })).found);
        takes += took.takes;
      }),
      { numRuns: 100 },
    );
    expect(takes).toBeGreaterThan(0);
  });

  it.each([
    ['the same keys', (n: number) => `{"id":${n},"city":"Köln","at":null,"tags":["x",{"y":"z"}],"ok":true}`],
    ['escapes', (n: number) => `{"id":${n},"text":"a \\"quoted\\" text\\n\\u00e9"}`],
    ['space', (n: number) => `{ "id" : ${n} , "text" : "a" }`],
    ['keys that are left out', (n: number) => (n % 3 === 1 ? `{"a":${n},"b":1,"c":1.5}` : `{"a":${n},"c":2}`)],
  ])('is what happens to nearly all of them: %s', async (_, lineOf) => {
    const lines = Array.from({ length: 300 }, (__, place) => lineOf(place + 1));
    for (const [content, format] of [
      [lines.join('\n'), 'ndjson'],
      [`[${lines.join(', ')}]`, 'json'],
    ] as const) {
      const took = await read(`${content}\n`, format, 'take');
      expect(took.takes).toBeGreaterThan(290);
      expect(took.found).toEqual((await read(`${content}\n`, format, 'read')).found);
    }
  });

  it.each([1, 510, 511, 512, 513, 600])('reads values that are nested %i deep, or refuses them', async (depth) => {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const lines = Array.from({ length: 5 }, (_, n) => `{"n":${n},"deep":${deep}}`).join('\n');
    expect((await read(lines, 'ndjson', 'take')).found).toEqual((await read(lines, 'ndjson', 'read')).found);
  });

  it('leaves records that are longer than a window, and goes on behind them', async () => {
    const long = 'x"\\'.repeat(30_000);
    const lines = Array.from({ length: 20 }, (_, n) => JSON.stringify({ n, text: n % 5 === 4 ? long : 'short' }));
    const took = await read(lines.join('\n'), 'ndjson', 'take');
    expect(took.takes).toBeGreaterThan(5);
    expect(took.found).toEqual((await read(lines.join('\n'), 'ndjson', 'read')).found);
  });

  it('leaves nothing of a row that was begun: no line end of a line that is left out', async () => {
    const whole = ['x', 'y', 'z'].map((text, n) => `{"a":"${text}","b":${n}}`);
    const lines = [...whole, '{"a":"\\n","b":nul}', '{"a":"last","b":3}'].join('\n');
    const { found, takes } = await read(lines, 'ndjson', 'take', { onBadRecord: 'reject' });
    expect(takes).toBe(1);
    expect(found).toMatchObject({ rows: '"x",0\n"y",1\n"z",2\n"last",3\n', flat: { quotedNewlines: false, rows: 4 } });
  });
});
