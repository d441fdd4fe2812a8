import { describe, expect, it } from 'vitest';
import { addUp, type FinishedModule, totalsLine } from '../support/reporter/totals.ts';

type State = 'passed' | 'failed' | 'skipped' | 'pending';

const aModule = (states: readonly State[], moduleErrors = 0, suiteErrors: readonly number[] = []): FinishedModule => ({
  errors: () => Array.from({ length: moduleErrors }, () => new Error('module')),
  children: {
    allTests: () => states.map((state) => ({ result: () => ({ state }) as never })),
    allSuites: () => suiteErrors.map((count) => ({ errors: () => Array.from({ length: count }) as never })),
  },
});

describe('the line at the end of a run', () => {
  it('adds up every module', () => {
    const totals = addUp([aModule(['passed', 'passed']), aModule(['passed', 'failed'])], []);
    expect(totalsLine(totals)).toBe('3 passed, 1 failed');
  });

  it('counts what did not run as failed', () => {
    expect(addUp([aModule(['passed', 'skipped', 'pending'])], [])).toEqual({ passed: 1, failed: 2 });
  });

  it('leaves out what was not asked for by name', () => {
    expect(addUp([aModule(['passed', 'skipped', 'failed'])], [], true)).toEqual({ passed: 1, failed: 1 });
  });

  it('counts files, suites and unhandled errors that broke outside a test', () => {
    expect(addUp([aModule([], 1), aModule(['passed'], 0, [1, 0])], [new Error('unhandled')])).toEqual({
      passed: 1,
      failed: 3,
    });
  });
});
