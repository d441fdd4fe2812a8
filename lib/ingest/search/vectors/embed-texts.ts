// Vectors of some texts, paid for from the budget in one go: what they can cost at most is reserved before the first call, and put right
// after the last.
import { asError } from '../../../core/check.ts';
import type { Clock } from '../../../core/time.ts';
import type { Budget } from '../../describe/ledger.ts';
import { passes, patiently } from '../../describe/model.ts';
import { costOf } from '../../describe/prices.ts';
import { checkedVectors, type EmbedderSettings, tokensIn } from './embeddings.ts';
import { packed } from './vector.ts';

export interface EmbedTextsDeps {
  readonly embedder: EmbedderSettings;
  readonly budget: Budget;
  readonly clock: Pick<Clock, 'sleep' | 'monotonic'>;
}

/** `run` and `month` have no money left, `silent` may pass, `refused` will not. */
export type NotEmbedded = 'run' | 'month' | 'silent' | 'refused';

export interface EmbeddedTexts {
  /** By the name of each text; of some of them only where `why` says why. */
  readonly vectors: ReadonlyMap<string, Int8Array>;
  readonly why?: NotEmbedded | undefined;
  /** Of the failure, as the service names it: its own words may hold account ids. */
  readonly failure?: string | undefined;
}

/** Calls under way at once: with a text a call they stay below the quota that an account starts with. */
const SIDE_BY_SIDE = 4;
/** Of one call; a quota is one of a minute. */
const TRIES = 7;

export interface EmbedTextsRequest {
  /** By name. */
  readonly texts: ReadonlyMap<string, string>;
  /** By the monotonic clock: nothing is asked after it. */
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
}

/** Throws where `signal` aborts, and what the ledger throws. */
export async function embedTexts(deps: EmbedTextsDeps, request: EmbedTextsRequest): Promise<EmbeddedTexts> {
  const { texts } = request;
  if (texts.size === 0) return { vectors: new Map() };
  const { embedder, budget } = deps;
  const reserved = costOf(embedder.price, { input: tokensIn([...texts.values()]), output: 0 });
  const room = await budget.reserve(reserved);
  if (room !== 'reserved') return { vectors: new Map(), why: room };
  const { vectors, tokens, calls, thrown } = await askAll(deps, request);
  const microcents = costOf(embedder.price, { input: tokens, output: 0 });
  const outcome = vectors.size === 0 && thrown !== undefined ? 'failed' : 'answered';
  const usage = { inputTokens: tokens, outputTokens: 0, microcents, outcome } as const;
  await budget.settle(reserved, { purpose: 'embed', model: embedder.embeddings.model, ...usage }, calls);
  if (thrown === undefined) return { vectors };
  return { vectors, why: passes(thrown) ? 'silent' : 'refused', failure: asError(thrown).name };
}

async function askAll(
  { embedder: { embeddings, chance }, clock }: EmbedTextsDeps,
  { texts, until, signal }: EmbedTextsRequest,
) {
  const vectors = new Map<string, Int8Array>();
  const todo = [...texts];
  let [next, tokens, calls] = [0, 0, 0];
  let thrown: unknown;
  const ask = async (): Promise<void> => {
    while (next < todo.length && thrown === undefined && clock.monotonic() <= until) {
      const some = todo.slice(next, next + embeddings.batch);
      next += some.length;
      const question = { texts: some.map(([, text]) => text), as: 'document', signal } as const;
      calls += 1;
      const answer = await patiently({ clock, chance, tries: TRIES }, signal, () => embeddings.embed(question));
      tokens += answer.tokens ?? tokensIn(question.texts);
      for (const [at, vector] of checkedVectors(embeddings, question, answer).entries())
        vectors.set(some[at]?.[0] ?? '', packed(vector));
    }
  };
  const lanes = Array.from({ length: SIDE_BY_SIDE }, () => ask().catch((error: unknown) => (thrown ??= error)));
  await Promise.all(lanes);
  signal?.throwIfAborted();
  return { vectors, tokens, calls, thrown };
}
