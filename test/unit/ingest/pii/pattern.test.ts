import { DuckDBInstance } from '@duckdb/node-api';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patternProblem } from '../../../../lib/ingest/pii/pattern.ts';

describe('the pattern of a detector', () => {
  it.each([
    'EMP-\\d{6}',
    '(?i)staff-[a-f0-9]{8}',
    '^[A-Z]{2}\\d+$',
    '(?:a|b)+?c*',
    '\\p{Lu}\\w*',
    'a{2,}',
    '[^]a-z-]+',
    'x|',
    '\\.\\-\\@',
    '(a{2,5}b){3}',
  ])('%s is taken', (pattern) => expect(patternProblem(pattern)).toBeUndefined());

  it.each([
    ['(a', 'bracket'],
    ['a)', 'bracket'],
    ['(a)\\1', 'character 4'],
    ['(?=a)b', 'look-around'],
    ['(?<!a)b', 'look-around'],
    ['(?P<n>a)', 'character 1'],
    ['*a', 'nothing to repeat'],
    ['a**', 'nothing to repeat'],
    ['[z-a]', 'range'],
    ['[\\w-z]', 'range'],
    ['[a', 'character 1'],
    ['a{5,2}', 'count'],
    ['a{201}', 'repeats 201'],
    ['((a{10}){10}){10}', 'repeats 1000'],
    ['a{1000}', 'character 2'],
    ['\\p{L}{11}', 'repeats 220'],
    ['([^x]{5}){3}', 'repeats 300'],
    ['\\q', 'character 1'],
    ['\0', 'no character'],
    ['\ud800', 'no character'],
    ['a'.repeat(501), '501'],
  ])('%s is refused, and told where', (pattern, why) => expect(patternProblem(pattern)).toContain(why));

  it('is one that RE2 runs, whenever it is taken', async () => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const piece = fc.constantFrom(
      ...Array.from('ab1.^$|()[]{}*+?-,\\'),
      '\\d',
      '\\w',
      '\\b',
      '\\p{L}',
      '[a-z]',
      '[^x]',
      '{2}',
      '{1,20}',
      '(?:',
      '(?i)',
      '(?i:',
      '[]a]',
      '\\.',
      'é',
      '[a-\\d]',
      '[\\]-a]',
      '[+--]',
    );
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 12 }), async (pieces) => {
        const pattern = pieces.join('');
        if (patternProblem(pattern) !== undefined) return;
        taken += 1;
        await connection.runAndReadAll('SELECT regexp_full_match($1, $2)', ['abc1', pattern]);
      }),
      { numRuns: 3000 },
    );
    expect(taken).toBeGreaterThan(300);
    connection.closeSync();
    instance.closeSync();
  });
});
