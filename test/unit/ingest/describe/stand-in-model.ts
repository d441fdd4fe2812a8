// A model that answers by the schema of the question, and keeps what it was asked. `answers` go before: what each call returns or throws.
import { seededChance } from '../../../../lib/core/chance.ts';
import type { ModelSettings } from '../../../../lib/ingest/describe/describing.ts';
import type { Model, ModelAnswer, ModelQuestion } from '../../../../lib/ingest/describe/model.ts';

export interface StandIn extends Model {
  readonly asked: ModelQuestion[];
  /** Taken from the front, one a call. */
  readonly answers: ((question: ModelQuestion) => unknown)[];
}

/** The numbered columns of a question, as its data has them. */
export const dataIn = ({ user }: Pick<ModelQuestion, 'user'>) => {
  const fenced = /<data>\n([\s\S]*)\n<\/data>/.exec(user);
  return JSON.parse(fenced?.[1] ?? '{}') as {
    readonly columns: readonly {
      readonly number: number;
      readonly name: string;
      readonly examples?: readonly string[];
    }[];
  };
};

/** An answer that fits. */
export function fitting(question: ModelQuestion): unknown {
  const columns = dataIn(question).columns.map(({ number, name }) => ({
    number,
    description: `What ${name} is.`,
    synonyms: [`other ${name}`],
    type: 'text',
  }));
  const wantsTable = 'table' in (question.tool.schema['properties'] as object);
  return { columns, ...(wantsTable && { table: { description: 'What the table is.', synonyms: ['it'] } }) };
}

export const USAGE = { inputTokens: 1000, outputTokens: 500 } as const;

export function standIn(): StandIn {
  const asked: ModelQuestion[] = [];
  const answers: StandIn['answers'] = [];
  return {
    id: 'stand-in',
    asked,
    answers,
    ask: (question): Promise<ModelAnswer> => {
      asked.push(question);
      const answer = answers.shift() ?? fitting;
      return Promise.resolve().then(() => ({ input: answer(question), ...USAGE }));
    },
  };
}

/** A cent and a half a question at USAGE. */
export const settingsOf = (model: Model, cents: { readonly run: number; readonly month: number }): ModelSettings => ({
  model,
  price: { input: 500, output: 2000 },
  limits: { run: cents.run * 1_000_000, month: cents.month * 1_000_000 },
  chance: seededChance(1),
});
