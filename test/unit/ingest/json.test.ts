import { describe, expect, it } from 'vitest';
import { brief, readBack } from './world.ts';

describe('reading JSON', () => {
  it.each([
    ['{"a":NaN}', 'JSON has no NaN and no Infinity: write null, or a text.'],
    ['{"a":}', 'a value is missing here.'],
    ['{"a":1,"b":,"c":2}', 'a value is missing here.'],
  ])('says what is wrong with %s', async (content, problem) => {
    await expect(readBack('t.ndjson', content)).rejects.toThrow(problem);
  });

  it('gives each key a column, in the order of their first appearance; missing keys are NULL', async () => {
    const read = await readBack('t.json', '[{"a": 1, "b": "x"}, {"c": true, "a": 2}, {}]');
    expect(read.schema).toEqual(['a BIGINT', 'b VARCHAR', 'c BOOLEAN']);
    expect(read.rows).toEqual([
      ['1', 'x', null],
      ['2', null, 'true'],
      [null, null, null],
    ]);
    expect(read.warnings).toEqual([]);
  });

  it.each([
    ['2^53 + 1', '9007199254740993', 'BIGINT', '9007199254740993'],
    ['past 2^63', '9223372036854775808', 'DECIMAL(38,0)', '9223372036854775808'],
    ['a tenth', '0.1', 'DECIMAL(18,1)', '0.1'],
    ['a trailing zero', '1.10', 'DECIMAL(18,2)', '1.10'],
    [
      '38 digits',
      '-1234567890123456789.0123456789012345678',
      'DECIMAL(38,19)',
      '-1234567890123456789.0123456789012345678',
    ],
    ['39 digits', '123456789012345678901234567890123456789', 'VARCHAR', '123456789012345678901234567890123456789'],
    ['an exponent', '1.5e-7', 'DOUBLE', '1.5e-07'],
    ['more digits than a double holds', '1.2345678901234567890e3', 'VARCHAR', '1.2345678901234567890e3'],
    ['beyond a double', '1e400', 'VARCHAR', '1e400'],
    ['below a double', '1e-400', 'VARCHAR', '1e-400'],
    ['a denormal with lost digits', '1.2345678e-320', 'VARCHAR', '1.2345678e-320'],
    ['a negative zero', '-0', 'DOUBLE', '-0.0'],
  ])('keeps the number: %s', async (_, lexeme, type, text) => {
    const read = await readBack('t.json', `[{"n": ${lexeme}}]`);
    expect(read.schema).toEqual([`n ${type}`]);
    expect(read.rows).toEqual([[text]]);
  });

  it('keeps texts as texts, whatever they look like, except ISO dates', async () => {
    const read = await readBack(
      't.json',
      '[{"a": "007", "b": "true", "c": "2024-02-29", "d": "2024-02-29T10:00:00Z", "e": ""}]',
    );
    expect(read.schema).toEqual(['a VARCHAR', 'b VARCHAR', 'c DATE', 'd TIMESTAMP WITH TIME ZONE', 'e VARCHAR']);
    expect(read.rows).toEqual([['007', 'true', '2024-02-29', '2024-02-29 10:00:00+00', '']]);
  });

  it('reads escapes, and line ends and quotes in texts', async () => {
    const read = await readBack('t.json', String.raw`[{"\u0061\"": "x\n\"y\"\\ \ud83d\ude00 \u0000é,"}]`);
    expect(read.columns.map(({ name }) => name)).toEqual(['a"']);
    expect(read.rows).toEqual([['x\n"y"\\ 😀 \0é,']]);
  });

  it('keeps nested values as the JSON that was written', async () => {
    const nested = '{"x": 1.10, "y" : [1e400, null, "a\\u0062"]}';
    const read = await readBack('t.json', `[{"a": ${nested}}, {"a": null}, {"a": [ ]}]`);
    expect(read.schema).toEqual(['a JSON']);
    expect(read.rows).toEqual([[nested], [null], ['[ ]']]);
    expect(read.warnings).toEqual([]);
  });

  it('keeps values of several kinds as text, each as it is written, and says so', async () => {
    const read = await readBack('t.json', '[{"a": 1.10}, {"a": "n/a"}, {"a": null}, {"a": 2}, {"a": true}, {"a": ""}]');
    expect(read.schema).toEqual(['a VARCHAR']);
    expect(read.rows).toEqual([['1.10'], ['n/a'], [null], ['2'], ['true'], ['']]);
    expect(brief(read)).toMatchObject([{ code: 'MIXED_JSON_TYPES', column: 'a', count: 1 }]);
  });

  it('keeps objects beside other values as JSON, and says so', async () => {
    const read = await readBack('t.json', '[{"a": 1.10}, {"a": {"b": 1}}, {"a": 2}, {"a": "n/a"}, {"a": "x"}]');
    expect(read.schema).toEqual(['a JSON']);
    expect(read.rows).toEqual([['1.10'], ['{"b": 1}'], ['2'], ['"n/a"'], ['"x"']]);
    expect(brief(read)).toEqual([{ code: 'MIXED_JSON_TYPES', column: 'a', row: 2, count: 1, example: '{"b": 1}' }]);
  });

  it('names the rarest of several kinds with its place', async () => {
    const read = await readBack('t.json', '[{"a": 1.10}, {"a": "n/a"}, {"a": null}, {"a": 2}]');
    expect(brief(read)).toEqual([{ code: 'MIXED_JSON_TYPES', column: 'a', row: 2, count: 1, example: '"n/a"' }]);
  });

  it('widens a column of numbers for one number late in the file', async () => {
    const pad = 'x'.repeat(500);
    const records = Array.from({ length: 8000 }, (_, n) => `{"n":${n},"pad":"${pad}"}`);
    records[7777] = '{"n":1e999}';
    const read = await readBack('t.ndjson', records.join('\n'));
    expect(read.schema).toEqual(['n VARCHAR', 'pad VARCHAR']);
    expect(read.rows[7777]).toEqual(['1e999', null]);
    expect(brief(read)).toEqual([{ code: 'TYPE_WIDENED', column: 'n', row: 7778, count: 1, example: '1e999' }]);
  });

  it('loses neither a key that an object repeats nor one that differs by case', async () => {
    const read = await readBack('t.json', '[{"a": 1, "A": 2, "a": 3, "": 4}, {"a": 5}]');
    expect(read.schema).toEqual(['a BIGINT', 'A_2 BIGINT', 'a_3 BIGINT', 'column_4 BIGINT']);
    expect(read.rows).toEqual([
      ['1', '2', '3', '4'],
      ['5', null, null, null],
    ]);
    expect(brief(read).map(({ code }) => code)).toEqual(['COLUMN_REPEATED', 'COLUMN_REPEATED', 'COLUMN_UNNAMED']);
  });

  it('reads NDJSON with blank lines, CRLF, a byte order mark and no line end at the end', async () => {
    const read = await readBack('t.ndjson', '\ufeff{"a": 1}\r\n\r\n  {"a": 2}\n{"a": 3}');
    expect(read.rows).toEqual([['1'], ['2'], ['3']]);
  });

  it('reads a large array in windows, in order', async () => {
    const text = 'ü"'.repeat(300);
    const records = Array.from({ length: 4000 }, (_, n) => ({ n, text: `${n}${text}` }));
    const read = await readBack('t.json', JSON.stringify(records, undefined, 1));
    expect(read.rows).toEqual(records.map(({ n, text: t }) => [String(n), t]));
  });
});
