// Adds up every project of a run and ends it with one plain line, which is what people and machines read.
import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

export interface Totals {
  readonly passed: number;
  readonly failed: number;
}

/** What the reporter asks of a finished module; the rest of vitest's interface is not needed. */
export interface FinishedModule {
  errors(): readonly unknown[];
  readonly children: {
    allTests(): Iterable<Pick<TestCase, 'result'>>;
    allSuites(): Iterable<Pick<TestSuite, 'errors'>>;
  };
}

export const totalsLine = ({ passed, failed }: Totals): string => `${String(passed)} passed, ${String(failed)} failed`;

/**
 * A suite or file that broke outside its tests counts as one failure, as does each unhandled error; a test that did not
 * run (skipped, or still pending when the run was interrupted) counts as failed, so that a green line means all of it;
 * only where the caller asked for some tests by name (`filtered`) are the others left out.
 */
export function addUp(modules: Iterable<FinishedModule>, unhandled: readonly unknown[], filtered = false): Totals {
  let passed = 0;
  let failed = unhandled.length;
  for (const module of modules) {
    failed += module.errors().length;
    for (const suite of module.children.allSuites()) failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed += 1;
      else if (state !== 'skipped' || !filtered) failed += 1;
    }
  }
  return { passed, failed };
}

/** Prints the line, or writes it to the file `TOTALS_FILE` names, where a caller has more to do before it prints. */
export function totalsReporter(file = process.env['TOTALS_FILE']): Reporter {
  let filtered = false;
  return {
    onInit(vitest) {
      filtered = vitest.config.testNamePattern !== undefined;
    },
    onTestRunEnd(modules: readonly TestModule[], unhandled) {
      const totals = addUp(modules, unhandled, filtered);
      // Nothing ran at all is a failure of the run, whatever vitest's options say.
      if (totals.passed === 0) process.exitCode = 1;
      if (file === undefined) process.stdout.write(`\n${totalsLine(totals)}\n`);
      else writeFileSync(file, totalsLine(totals));
    },
  };
}
