// The port of embeddings: vectors that lie near in direction where texts are near in meaning. The adapter knows the service; what is
// embedded, budgets and how vectors are kept are known here.
import type { Chance } from '../../../core/chance.ts';
import type { BudgetLimits } from '../../describe/ledger.ts';
import type { Price } from '../../describe/prices.ts';

export interface EmbeddingQuestion {
  /** At most `batch`. */
  readonly texts: readonly string[];
  /** `query`: they ask for documents. */
  readonly as: 'document' | 'query';
  readonly signal?: AbortSignal | undefined;
}

export interface EmbeddingAnswer {
  /** One a text, in order. */
  readonly vectors: readonly (readonly number[])[];
  /** As the service counted them; undefined where it does not say. */
  readonly tokens?: number | undefined;
}

export interface Embeddings {
  /** Vectors of another model, or of other dimensions, are not comparable. */
  readonly model: string;
  readonly dimensions: number;
  /** Texts that one call takes. */
  readonly batch: number;
  /** Throws what the service throws. */
  embed(question: EmbeddingQuestion): Promise<EmbeddingAnswer>;
}

/** A model as a deployment names it. */
export interface EmbedderSettings {
  readonly embeddings: Embeddings;
  readonly price: Price;
  /** Microcents. */
  readonly limits: BudgetLimits;
  readonly chance: Chance;
}

/** A token is a byte at least; most are three or four characters. Some more than the service will count. */
export const tokensIn = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + 8 + Math.ceil(Buffer.byteLength(text) / 2), 0);

/** Throws a TypeError where an answer is not of the vectors that were asked for. */
export function checkedVectors(
  { dimensions }: Embeddings,
  { texts }: EmbeddingQuestion,
  { vectors }: EmbeddingAnswer,
): readonly (readonly number[])[] {
  const right = vectors.every((each) => each.length === dimensions && each.every(Number.isFinite));
  if (right && vectors.length === texts.length) return vectors;
  throw new TypeError(`The embedding model gave no ${texts.length} vectors of ${dimensions} dimensions.`);
}
