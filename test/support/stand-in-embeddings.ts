// An embedding model that knows which words mean the same, and keeps what it was asked. `failures` go before: what each call throws.
import { createHash } from 'node:crypto';
import { seededChance } from '../../lib/core/chance.ts';
import type { EmbedderSettings, EmbeddingQuestion, Embeddings } from '../../lib/ingest/search/vectors/embeddings.ts';

export interface StandInEmbeddings extends Embeddings {
  readonly asked: EmbeddingQuestion[];
  /** Taken from the front, one a call. */
  readonly failures: Error[];
}

const meanings: readonly (readonly string[])[] = [
  ['revenue', 'turnover', 'sales', 'income', 'amount', 'total'],
  ['customer', 'client', 'buyer', 'purchaser'],
  ['staff', 'employee', 'worker', 'personnel'],
  ['temperature', 'heat', 'celsius'],
];
const meaningOf = (word: string): string => meanings.find((words) => words.includes(word))?.[0] ?? word;

/** Each word a direction of its own, the same for words that mean the same. */
function vectorOf(text: string, dimensions: number): number[] {
  const sum = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const seed = createHash('sha256').update(meaningOf(word)).digest().readUInt32LE(0);
    const chance = seededChance(seed);
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + chance.next() - 0.5;
  }
  return sum;
}

export function standInEmbeddings({
  model = 'stand-in',
  dimensions = 64,
  batch = 8,
}: Partial<Pick<Embeddings, 'model' | 'dimensions' | 'batch'>> = {}): StandInEmbeddings {
  const asked: EmbeddingQuestion[] = [];
  const failures: Error[] = [];
  return {
    ...{ model, dimensions, batch, asked, failures },
    embed: async (question) => {
      asked.push(question);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const { texts } = question;
      return { vectors: texts.map((text) => vectorOf(text, dimensions)), tokens: texts.length * 10 };
    },
  };
}

/** A cent for a million tokens, so that a token is a microcent. */
export const embedderOf = (
  embeddings: Embeddings,
  cents: { readonly run: number; readonly month: number } = { run: 50, month: 1000 },
): EmbedderSettings => ({
  embeddings,
  price: { input: 1, output: 0 },
  limits: { run: cents.run * 1_000_000, month: cents.month * 1_000_000 },
  chance: seededChance(1),
});

export const named = (name: string): Error => Object.assign(new Error('told to a test'), { name });
