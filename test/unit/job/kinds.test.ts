import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type DurationMs, minutes, seconds } from '../../../lib/core/time.ts';
import { refuseReserved } from '../../../lib/job/kind-check.ts';
import { createRegistry, defineJob } from '../../../lib/job/registry.ts';
import { pipeline } from '../../../lib/pipeline/definition.ts';

const right = { kind: 'report.monthly', input: z.strictObject({}), run: async () => 'done' };
const wrong = (parts: object) => () => defineJob({ ...right, ...parts });

describe('a definition', () => {
  it('is kept as it was given', () => {
    const options = { attempts: 1, crashes: 5, timeout: minutes(2), lane: 'due', function: 'heavy' } as const;
    expect(defineJob({ ...right, ...options })).toEqual({ ...right, ...options, type: 'job' });
  });

  it.each(['', 'Report', 'report_monthly', '.report', 'report.', '1report', 'a'.repeat(61), 7])(
    'with the name %j is refused, and says what a name looks like',
    (kind) => {
      expect(wrong({ kind })).toThrow(/is no name for a kind: .*report\.monthly/);
      expect(() => pipeline(kind as string, { input: right.input, version: '1' })).toThrow(/is no name for a kind/);
    },
  );

  it.each([
    [{ input: { month: 'string' } }, 'input must be a zod schema'],
    [{ run: 'later' }, 'run must be a function'],
    [{ attempts: 0 }, 'attempts counts the runs that may fail'],
    [{ attempts: 1.5 }, 'attempts counts'],
    [{ crashes: 1001 }, 'crashes counts'],
    [{ lane: 'fast' }, 'lane is "default" or "due"'],
    [{ function: 'Heavy Work' }, 'function is the name of a Lambda function'],
    [{ timeout: seconds(0) }, 'timeout must be a length of time'],
    [{ timeout: Infinity as DurationMs }, 'timeout must be a length of time'],
  ])('with %j is refused by its kind and in a sentence', (parts, sentence) => {
    expect(wrong(parts)).toThrow(`The kind "report.monthly" is not right: ${sentence}`);
  });

  it('may be heard in batches only where it is short, and in the worker', () => {
    expect(defineJob({ ...right, batch: true, timeout: seconds(20) }).batch).toBe(true);
    expect(wrong({ batch: true })).toThrow('give it a timeout of at most seconds(20)');
    expect(wrong({ batch: true, timeout: seconds(21) })).toThrow('batch is for short jobs');
    expect(wrong({ batch: true, timeout: seconds(5), function: 'heavy' })).toThrow('do not go together');
  });
});

describe('the names of kinds', () => {
  it('that come with the engine cannot be taken', () => {
    expect(() => refuseReserved({ kind: 'diagnostic.mine' })).toThrow('start with "diagnostic." come with the engine');
    expect(() => refuseReserved({ kind: 'system.mine' })).toThrow('start with "system."');
    refuseReserved({ kind: 'systems.mine' });
  });

  it('are given once', () => {
    const kinds = [defineJob(right), defineJob({ ...right, kind: 'other' }), defineJob(right)];
    expect(() => createRegistry(kinds)).toThrow('two kinds share the name "report.monthly"');
    expect(createRegistry(kinds.slice(0, 2)).names()).toEqual(['other', 'report.monthly']);
  });
});
