import { describe, expect, it } from 'vitest';
import { judgeCoverage, coverageTable } from '../../../scripts/simulate/report.ts';
import { parseOptions } from '../../../scripts/simulate/options.ts';

describe('npm run simulate', () => {
  it('takes a seed of its own where none is given', () => {
    expect(parseOptions(['--runs', '10'], () => 7)).toMatchObject({ runs: 10, seed: 7, full: false, least: 0 });
    expect(parseOptions(['--seed', '3', '--replay', '4', '--full'], () => 7)).toMatchObject({
      seed: 3,
      replay: 4,
      full: true,
    });
  });

  it('refuses what is no number', () => {
    expect(() => parseOptions(['--runs', 'many'], () => 7)).toThrow(TypeError);
    expect(() => parseOptions(['--run', '1'], () => 7)).toThrow(TypeError);
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
