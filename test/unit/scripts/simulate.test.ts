import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { judgeCoverage, coverageTable } from '../../../scripts/simulate/report.ts';
import { simulateAsked, simulateCommand } from '../../../scripts/simulate/options.ts';

describe('npm run simulate', () => {
  const asked = (...args: string[]) =>
    simulateAsked(
      simulateCommand()
        .configureOutput({ writeErr: () => undefined })
        .exitOverride()
        .parse(args, { from: 'user' }),
      7,
    );

  it('takes a seed of its own where none is given', () => {
    expect(asked('--runs', '10')).toMatchObject({ runs: 10, seed: 7, full: false, least: 0 });
    expect(asked('--seed', '3', '--replay', '4', '--full', '--jobs', '2')).toMatchObject({
      seed: 3,
      replay: 4,
      full: true,
      threads: 2,
    });
  });

  it.each([
    ['--runs', 'many'],
    ['--run', '1'],
    ['--jobs', '0'],
  ])('refuses what is no number or no option (%s %s)', (...args) => {
    expect(() => asked(...args)).toThrow(CommanderError);
  });

  it('names cells that are rare, and those that were hit though they cannot be', () => {
    const coverage = { heartbeat: { 'lost message': 1, 'lost call': 5 }, submit: { 'lost call': 100 } };
    const { rare, refuted } = judgeCoverage(coverage, ['heartbeat'], 6);
    expect(refuted).toMatchObject([{ rule: 'heartbeat', fault: 'lost message' }]);
    expect(rare).toContainEqual({ rule: 'heartbeat', fault: 'lost call', times: 5 });
    expect(rare.some(({ fault }) => fault === 'conflict')).toBe(false);
  });

  it('shows impossible cells as a dash', () => {
    const [, , row] = coverageTable({ heartbeat: { 'lost call': 12 } }, ['heartbeat']).split('\n');
    expect(row).toMatch(/^heartbeat +12 +0 .*–/);
  });
});
