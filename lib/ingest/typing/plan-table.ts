// The types of a table's columns, from a sample where that is enough and from all rows where the sample says too little or too much. Which
// rows were looked at, and in how many pieces, makes no difference to the plan.
import { must } from '../../core/check.ts';
import type { Engine } from '../engine/engine.ts';
import { countValues } from './count-values.ts';
import { type Counts, noCounts } from './counts.ts';
import { type Facts, factsOf, isAmbiguousDate } from './facts.ts';
import { forcedRung } from './forced.ts';
import { planType } from './plan.ts';
import { type TextTable } from './relation.ts';
import { type Rung, textRung } from './rungs.ts';

export type PlannedTable = Pick<TextTable, 'columns' | 'sampleIsAll' | 'dateOrder' | 'emptyIsNull'>;

/** By the index of the column. */
export type FactsByColumn = ReadonlyMap<number, Facts>;

export interface Plan {
  readonly facts: FactsByColumn;
  readonly rungs: readonly Rung[];
  /** The types that the sample promised and all rows contradict. */
  readonly promised: ReadonlyMap<number, Rung>;
}

/** Answers the facts of the columns asked for. */
type Look = (indexes: readonly number[]) => Promise<FactsByColumn>;

export interface Looks {
  readonly sample: Look;
  readonly all: Look;
}

const factsOfAll = (counts: ReadonlyMap<number, Counts>, { emptyIsNull }: PlannedTable): FactsByColumn =>
  new Map([...counts].map(([index, one]) => [index, factsOf(one, emptyIsNull ? 'NULL' : 'text')]));

/** Counts the columns asked for; one that it leaves out has no value that could be another. */
export type Counter = (indexes: readonly number[]) => Promise<ReadonlyMap<number, Counts>>;

const lookBy =
  (table: PlannedTable, counter: Counter): Look =>
  async (indexes) => {
    const counts = await counter(indexes);
    return factsOfAll(new Map(indexes.map((index) => [index, counts.get(index) ?? noCounts])), table);
  };

export const looksBy = (table: PlannedTable, { sample, all }: { readonly [K in keyof Looks]: Counter }): Looks => ({
  sample: lookBy(table, sample),
  all: lookBy(table, all),
});

/** Looks at the rows themselves. */
export const looksAt = (engine: Engine, table: TextTable): Looks => {
  const { columns, sample, all, bytes } = table;
  return looksBy(table, {
    sample: (indexes) => countValues(engine, sample, indexes, { columns, bytes: 0, of: 'all' }),
    all: (indexes) => countValues(engine, all, indexes, { columns, bytes, of: 'all' }),
  });
};

const every = ({ columns }: PlannedTable): number[] => columns.map((_, index) => index);

/** The rung of each column by its facts. */
export const rungsOf = (table: PlannedTable, facts: FactsByColumn): Rung[] =>
  table.columns.map(({ family, forced }, index) =>
    forced === undefined
      ? planType(family, must(facts.get(index), `facts of column ${index}`), table.dateOrder)
      : forcedRung(forced.type, table.dateOrder),
  );

/** Columns of which the sample has no value, or dates that may be read either way, prove nothing; they are looked at over all rows. */
export async function firstPlan(table: PlannedTable, looks: Looks): Promise<Plan> {
  const facts = new Map(await looks.sample(every(table)));
  const isOpen = (known: Facts): boolean =>
    known.values === 0 || (table.dateOrder === undefined && isAmbiguousDate(known));
  const unknown = table.sampleIsAll ? [] : [...facts].filter(([, known]) => isOpen(known)).map(([index]) => index);
  if (unknown.length > 0) for (const [index, known] of await looks.all(unknown)) facts.set(index, known);
  return { facts, rungs: rungsOf(table, facts), promised: new Map() };
}

/** Text keeps everything, so that only the other columns can have been promised too much. */
export const openColumns = ({ rungs }: Pick<Plan, 'rungs'>): number[] =>
  [...rungs.keys()].filter((index) => rungs[index] !== textRung);

export async function replan(table: PlannedTable, { all }: Pick<Looks, 'all'>, plan: Plan): Promise<Plan> {
  const open = openColumns(plan);
  const facts = new Map([...plan.facts, ...(await all(open))]);
  const rungs = rungsOf(table, facts);
  const promised = new Map<number, Rung>();
  for (const index of open) {
    const before = must(plan.rungs[index], 'a rung');
    if (before.type !== rungs[index]?.type) promised.set(index, before);
  }
  return { facts, rungs, promised };
}
