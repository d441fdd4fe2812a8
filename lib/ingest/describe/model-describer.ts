// The describer that asks a model: a batch of columns a question, within a budget. An answer that does not fit is asked for once more; after
// that, and where nothing answers, the caller keeps what rules say.
import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { asError } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Descriptions, DescribeRequest, Describer } from './facts.ts';
import type { Budget, Spender } from './ledger.ts';
import { type Model, type ModelAnswer, type ModelQuestion, passes } from './model.ts';
import { costOf, type Price } from './prices.ts';
import { answerSchema, type ModelDescriptions, promptVersion, questionOf, repairOf } from './prompt.ts';

/** Answers that were paid for, so that another attempt of the same job asks for none twice. */
export interface KeptAnswers {
  get(name: string): Promise<string | undefined>;
  put(name: string, answer: string): Promise<void>;
}

export interface ModelDescriberDeps {
  readonly model: Model;
  readonly price: Price;
  readonly budget: Budget;
  readonly spender: Spender;
  readonly kept: KeptAnswers;
}

/** Why a model gave no descriptions: `run` and `month` have no money left, `silent` may pass, `refused` and `unfit` will not. */
export type NoAnswer = 'run' | 'month' | 'silent' | 'refused' | 'unfit';

export class NotDescribed extends Error {
  override readonly name = 'NotDescribed';
  readonly why: NoAnswer;

  constructor(why: NoAnswer, detail: string) {
    super(detail);
    this.why = why;
  }
}

/** A token is a byte at least; most are three or four characters. Some more than the service will count. */
const tokensIn = ({ system, user, tool }: ModelQuestion): number =>
  500 + Math.ceil((system.length + Buffer.byteLength(user) + JSON.stringify(tool.schema).length) / 2);

/** Throws NotDescribed. */
export function createModelDescriber(deps: ModelDescriberDeps): Describer {
  return {
    describe: async (request) => {
      const schema = answerSchema(request.columns.length, request.about);
      const question = questionOf(request);
      const name = nameOf(deps.model.id, question);
      const kept = await deps.kept.get(name);
      if (kept !== undefined) {
        const read = schema.safeParse(JSON.parse(kept));
        if (read.success) return descriptionsOf(read.data, request);
      }
      const fitting = await fittingAnswer(deps, question, schema);
      await deps.kept.put(name, JSON.stringify(fitting));
      return descriptionsOf(fitting, request);
    },
  };
}

/** The same question to the same model has the same name. */
const nameOf = (model: string, { system, user, tool }: ModelQuestion): string =>
  createHash('sha256')
    .update(JSON.stringify([promptVersion, model, system, user, tool]))
    .digest('hex')
    .slice(0, 40);

async function fittingAnswer(
  deps: ModelDescriberDeps,
  question: ModelQuestion,
  schema: z.ZodType<ModelDescriptions>,
): Promise<ModelDescriptions> {
  const first = await asked(deps, question, schema);
  if (first.success) return first.data;
  const second = await asked(deps, repairOf(question, first.error), schema);
  if (second.success) return second.data;
  throw new NotDescribed('unfit', 'The answer did not fit, and the one to a second question neither.');
}

async function asked(deps: ModelDescriberDeps, question: ModelQuestion, schema: z.ZodType<ModelDescriptions>) {
  const { model, price, budget } = deps;
  const most = costOf(price, { input: tokensIn(question), output: question.maxTokens });
  const room = await budget.reserve(most);
  if (room !== 'reserved') throw new NotDescribed(room, `The budget of the ${room} has no room for another question.`);
  const answer = await model.ask(question).catch(async (thrown: unknown) => {
    question.signal?.throwIfAborted();
    await settle(deps, most, { inputTokens: 0, outputTokens: 0 }, 'failed');
    throw passes(thrown) ? new NotDescribed('silent', sentence(thrown)) : new NotDescribed('refused', sentence(thrown));
  });
  const read = schema.safeParse(answer.input);
  await settle(deps, most, answer, read.success ? 'answered' : 'refused');
  return read;
}

/** The service's own words stay in the log: they may hold account ids. */
const sentence = (thrown: unknown): string =>
  thrown instanceof Fault ? thrown.detail : `The model gave no answer: ${asError(thrown).name}.`;

async function settle(
  { model, price, budget, spender }: ModelDescriberDeps,
  reserved: number,
  { inputTokens, outputTokens }: Pick<ModelAnswer, 'inputTokens' | 'outputTokens'>,
  outcome: 'answered' | 'refused' | 'failed',
): Promise<void> {
  const microcents = costOf(price, { input: inputTokens, output: outputTokens });
  const usage = { inputTokens, outputTokens, microcents, outcome };
  await budget.settle(reserved, { purpose: 'describe', ...spender, model: model.id, promptVersion, ...usage });
}

function descriptionsOf(answer: ModelDescriptions, { columns }: DescribeRequest): Descriptions {
  const byNumber = new Map(answer.columns.map((each) => [each.number, each]));
  return {
    ...(answer.table && { table: { text: answer.table.description, by: 'model', synonyms: answer.table.synonyms } }),
    columns: columns.map((_, index) => {
      const found = byNumber.get(index + 1);
      if (found === undefined) throw new TypeError(`no description of column ${index + 1}`);
      return { text: found.description, by: 'model', synonyms: found.synonyms, semantic: found.type };
    }),
  };
}
