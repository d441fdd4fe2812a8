// Says what reading a table of a sheet did that its reader must know: with the row of the sheet, the number of cells and an example.
import type { Warning } from '../../../core/warning.ts';
import { CELL_ERROR } from '../../rejects/reject.ts';
import type { BadRecords } from '../../typing/relation.ts';
import { warn, type WarningCode } from '../../warnings.ts';
import { type CellKind, columnLetters, type Merge } from '../types.ts';
import type { ColumnFacts, TableFacts } from './facts.ts';

/** Kinds that are a value; the others are NULL. */
export const valueKinds = [
  'number',
  'text',
  'boolean',
  'date',
  'timestamp',
  'time',
  'duration',
] as const satisfies readonly CellKind[];

export const kindsIn = ({ counts }: ColumnFacts) => valueKinds.filter((kind) => counts[kind] > 0);

const lost = [
  ['error', 'CELL_ERRORS'],
  ['unknown', 'FORMULAS_NOT_CALCULATED'],
  ['empty text', 'EMPTY_TEXT_AS_NULL'],
] as const satisfies readonly (readonly [CellKind, WarningCode])[];

function losses(name: string, { counts, first }: ColumnFacts): Warning[] {
  return lost.flatMap(([kind, code]) => {
    const example = kind === 'error' ? first[kind]?.example : undefined;
    return counts[kind] === 0
      ? []
      : [warn(code, { column: name, row: first[kind]?.row, count: counts[kind], example })];
  });
}

/** Days and times of days are one kind where a column has nothing else. */
function mixed(name: string, facts: ColumnFacts): Warning[] {
  const kinds = kindsIn(facts);
  const isOf = (...some: readonly CellKind[]): boolean => kinds.every((kind) => some.includes(kind));
  if (kinds.length < 2 || isOf('date', 'timestamp') || isOf('time', 'duration')) return [];
  const rarest = kinds.reduce((a, b) => (facts.counts[b] < facts.counts[a] ? b : a));
  const detail = `${kinds.map((kind) => `${facts.counts[kind]} ${kind}`).join(', ')}.`;
  return [warn('MIXED_CELL_TYPES', { column: name, ...facts.first[rarest], count: facts.counts[rarest], detail })];
}

const noteCodes = {
  percent: 'PERCENT_AS_FRACTION',
  currency: 'CURRENCY_LEFT_OUT',
  'leading zeros': 'LEADING_ZEROS_LEFT_OUT',
} as const satisfies Record<string, WarningCode>;

function notes(name: string, facts: ColumnFacts): Warning[] {
  return [...facts.notes.values()].map(({ note, row, example, count }) => {
    const detail = note.kind === 'percent' ? undefined : `It is ${JSON.stringify(note.of)}.`;
    return warn(noteCodes[note.kind], { column: name, row, count, example, detail });
  });
}

/** Of one column; `isText` says that it became text. */
export const columnWarnings = (name: string, facts: ColumnFacts, isText: boolean): Warning[] => [
  ...losses(name, facts),
  ...(isText ? mixed(name, facts) : []),
  ...notes(name, facts),
];

const ERROR_CHARACTERS = 200;

/** The cells that hold errors, for the rejects report: in the columns of the sheet that the table has, with their names. */
export function cellErrors(
  { columns, errors }: TableFacts,
  used: readonly number[],
  names: readonly string[],
): BadRecords | undefined {
  const count = used.reduce((sum, column) => sum + (columns.get(column)?.counts.error ?? 0), 0);
  if (count === 0) return undefined;
  const nameOf = new Map(used.map((column, place) => [column, names[place] ?? '']));
  const found = errors.map(({ row, column, text }) => {
    const value = Array.from(text.slice(0, 2 * ERROR_CHARACTERS))
      .slice(0, ERROR_CHARACTERS)
      .join('');
    return { reason: CELL_ERROR, row, column: nameOf.get(column) ?? '', value };
  });
  return { counts: { [CELL_ERROR]: count }, find: () => Promise.resolve(found) };
}

/** Of the merges that reach into the data. */
export function mergeWarnings(merges: readonly Merge[]): Warning[] {
  const [first] = [...merges].sort((a, b) => a.top - b.top || a.left - b.left);
  if (first === undefined) return [];
  const { top, left, bottom, right } = first;
  const example = `${columnLetters(left)}${top}:${columnLetters(right)}${bottom}`;
  return [warn('MERGED_CELLS', { row: top, count: merges.length, example })];
}
