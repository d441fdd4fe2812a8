// A table described: by rules whole, then by a model as far as it is asked to, has an answer and has money. What remains is said, and why.
import { must } from '../../core/check.ts';
import type { Semantic, SemanticType } from '../semantics/types.ts';
import {
  BATCH,
  type DescribedColumn,
  type DescribedTable,
  type DescribeRequest,
  type Describer,
  type Description,
  type Descriptions,
} from './facts.ts';
import { type NoAnswer, NotDescribed } from './model-describer.ts';
import { ruleDescriber } from './rules.ts';

export interface ColumnDescribed extends Description {
  readonly name: string;
  readonly semantic: Semantic;
}

export interface TableDescribed {
  readonly table: Description;
  /** In the order of the table. */
  readonly columns: readonly ColumnDescribed[];
  /** Columns that a model was to describe and has not. */
  readonly left: readonly string[];
  /** Why; the first reason that stopped or failed a batch. */
  readonly why?: NoAnswer | undefined;
}

/** What the model is asked about. */
export interface Asked {
  readonly table: 'table' | 'columns only';
  readonly columns: (column: DescribedColumn) => boolean;
}

export const everything: Asked = { table: 'table', columns: () => true };

/** Meanings that a rule gives for want of a better one; a model may name it. */
const vague: ReadonlySet<SemanticType> = new Set(['decimal', 'enum', 'integer', 'text', 'unknown']);

interface DescribeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: everything. */
  readonly asked?: Asked | undefined;
}

export async function describeTable(
  table: DescribedTable,
  model: Describer | undefined,
  { signal, asked = everything }: DescribeOptions = {},
): Promise<TableDescribed> {
  const { columns } = table;
  const ruled = await ruleDescriber.describe({ table, columns, about: 'table and columns' });
  const described = new Map(columns.map((column, index) => [column.name, merged(column, ruled.columns[index])]));
  if (model === undefined) return { table: must(ruled.table, 'a table'), columns: [...described.values()], left: [] };
  let ofTable = must(ruled.table, 'a table');
  const left: string[] = [];
  let why: NoAnswer | undefined;
  for (const [index, batch] of batchesOf(columns.filter(asked.columns)).entries()) {
    signal?.throwIfAborted();
    const about = index === 0 && asked.table === 'table' ? 'table and columns' : 'columns';
    const answer = stops(why) ? why : await answerOf(model, { table, columns: batch, about, signal });
    if (typeof answer === 'string') {
      why = stops(why) ? why : answer;
      left.push(...batch.map(({ name }) => name));
      continue;
    }
    ofTable = answer.table ?? ofTable;
    for (const [at, column] of batch.entries()) described.set(column.name, merged(column, answer.columns[at]));
  }
  return { table: ofTable, columns: [...described.values()], left, ...(why && { why }) };
}

const batchesOf = (columns: readonly DescribedColumn[]): DescribedColumn[][] =>
  Array.from({ length: Math.ceil(columns.length / BATCH) }, (_, index) =>
    columns.slice(index * BATCH, (index + 1) * BATCH),
  );

/** One answer that does not fit says nothing of the next; no money and no service do. */
const stops = (why: NoAnswer | undefined): why is Exclude<NoAnswer, 'unfit'> => why !== undefined && why !== 'unfit';

async function answerOf(model: Describer, request: DescribeRequest): Promise<Descriptions | NoAnswer> {
  try {
    return await model.describe(request);
  } catch (thrown) {
    if (thrown instanceof NotDescribed) return thrown.why;
    throw thrown;
  }
}

function merged({ name, semantic: ruled }: DescribedColumn, answer: Descriptions['columns'][number] | undefined) {
  const { semantic: said, ...description } = must(answer, `a description of ${name}`);
  // What values bear out stays.
  const better = said !== undefined && vague.has(ruled.type) && !vague.has(said);
  const semantic: Semantic = better ? { type: said, by: 'model' } : ruled;
  return { ...description, name, semantic };
}
