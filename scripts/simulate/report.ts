// What a run of `npm run simulate` says at its end.
import { type Coverage, type FaultName, faultNames } from '../../lib/testing/simulation/coverage.ts';
import type { Explored } from '../../lib/testing/simulation/explore.ts';
import { type Cell, reasonFor } from '../../lib/testing/simulation/impossible.ts';

export interface Judged {
  /** Possible cells that were hit less often than they must. */
  readonly rare: readonly (Cell & { readonly times: number })[];
  /** Cells that are said to be impossible and were hit. */
  readonly refuted: readonly Cell[];
}

export function judgeCoverage(coverage: Coverage, rules: readonly string[], least: number): Judged {
  const cells = rules.flatMap((rule) =>
    faultNames.map((fault) => ({ rule, fault, times: coverage[rule]?.[fault] ?? 0 })),
  );
  return {
    rare: cells.filter((cell) => reasonFor(cell) === undefined && cell.times < least),
    refuted: cells.filter((cell) => reasonFor(cell) !== undefined && cell.times > 0),
  };
}

/** Rules down, faults across; `–` where the cell is impossible. */
export function coverageTable(coverage: Coverage, rules: readonly string[]): string {
  const heads = faultNames.map((fault) => fault.split(' '));
  const cell = (rule: string, fault: FaultName): string => {
    const times = coverage[rule]?.[fault] ?? 0;
    return times === 0 && reasonFor({ rule, fault }) !== undefined ? '–' : String(times);
  };
  const rows = [
    ['', ...heads.map(([first = '']) => first)],
    ['rule', ...heads.map(([, second = '']) => second)],
    ...rules.map((rule) => [rule, ...faultNames.map((fault) => cell(rule, fault))]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((text, column) => pad(text, widths[column] ?? 0, column))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const pad = (text: string, width: number, column: number): string =>
  column === 0 ? text.padEnd(width) : text.padStart(width);

export function summary({ runs, seconds, choices, calls, faults, short }: Explored, wall: number): string {
  const each = (sum: number) => (sum / Math.max(1, runs)).toFixed(0);
  return [
    `${runs} runs in ${wall.toFixed(0)} s (${(runs / Math.max(wall, 0.001)).toFixed(0)} runs/s, ${seconds.toFixed(0)} s of threads)`,
    `a run: ${each(choices)} choices, ${each(calls)} calls, ${each(faults)} faults (${((100 * faults) / Math.max(1, calls)).toFixed(0)} % of the calls)`,
    ...(short > 0 ? [`${short} runs had fewer choices or faults than a schedule must have`] : []),
  ].join('\n');
}
