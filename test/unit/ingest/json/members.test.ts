// The members of records, however the records before were written.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kinds as kindNames } from '../../../../lib/ingest/json/grammar.ts';
import { type JsonFormat, readRecords } from '../../../../lib/ingest/json/records.ts';
import { inFolder, readBack } from '../world.ts';

type Member = readonly [key: string, value: string, kind: string];

/** The members of every record, as they are written. */
const membersOf = (content: string, format: JsonFormat): Promise<Member[][]> =>
  inFolder(async (folder) => {
    const path = join(folder, 'records');
    await writeFile(path, content);
    const found: Member[][] = [];
    await readRecords({ path, start: 0, maxRecordBytes: 1 << 20 }, format, (bytes, members) => {
      const text = (starts: readonly number[], ends: readonly number[], place: number) =>
        bytes.toString('utf8', starts[place], ends[place]);
      const { count, keyStarts, keyEnds, valueStarts, valueEnds, kinds } = members;
      found.push(
        Array.from({ length: count }, (_, place): Member => {
          const value = text(valueStarts, valueEnds, place);
          return [text(keyStarts, keyEnds, place), value, String(kindNames[kinds[place] as number])];
        }),
      );
    });
    return found;
  });

const values = fc.constantFrom<readonly [string, string]>(
  ...(['1', '-0', '0.10', '1e5', '12345678901234567890'] as const).map((text) => [text, 'number'] as const),
  ...(['""', '"x"', '"é, \\"q\\""', '"\\ud83d\\ude00"', '"}"'] as const).map((text) => [text, 'string'] as const),
  ['true', 'boolean'],
  ['null', 'null'],
  ['[1, {"a": 2}]', 'nested'],
  ['{}', 'nested'],
);
const spaces = fc.constantFrom('', '', ' ', '\t ');
const keys = fc.constantFrom('"a"', '"ab"', '"b"', '"\\u0061"', '"é"', '""');

const record = fc
  .array(fc.record({ key: keys, value: values, space: fc.tuple(spaces, spaces, spaces, spaces) }), { maxLength: 6 })
  .map((members) => {
    const written = members.map(
      ({ key, value: [text], space: [before, behindKey, beforeValue, behind] }) =>
        `${before}${key}${behindKey}:${beforeValue}${text}${behind}`,
    );
    return {
      text: `{${written.join(',')}}`,
      members: members.map(({ key, value: [text, kind] }): Member => [key, text, kind]),
    };
  });

describe('members', () => {
  it('are those of their own record, whatever the keys, the order and the space of the records before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 12 }), async (records) => {
        const expected = records.map(({ members }) => members);
        const texts = records.map(({ text }) => text);
        expect(await membersOf(texts.join('\n'), 'ndjson')).toEqual(expected);
        expect(await membersOf(`[${texts.join(',\n')}]`, 'json')).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('go to the first column of a key that only records before repeat', async () => {
    const { rows, schema } = await readBack('t.ndjson', '{"a":1,"b":2,"b":3}\n{"x":4,"y":5,"b":6}\n{"b":7,"b":8}');
    expect(schema).toEqual(['a BIGINT', 'b BIGINT', 'b_2 BIGINT', 'x BIGINT', 'y BIGINT']);
    expect(rows).toEqual([
      ['1', '2', '3', null, null],
      [null, '6', null, '4', '5'],
      [null, '7', '8', null, null],
    ]);
  });
});
