// The mix of jobs that chaos submits, drawn from a seed, and how each must end.
import { type Chance, seededChance } from '../../lib/core/chance.ts';

export interface Work {
  /** Idempotency key: a submit whose answer was lost is sent again and stays one job. */
  readonly key: string;
  readonly body: { readonly kind: string; readonly input: unknown; readonly delaySeconds?: number };
  /** Where no crash budget is used up. */
  readonly ends: 'succeeded' | 'failed' | 'dead';
}

const below = (chance: Chance, most: number): number => Math.floor(chance.next() * most);

function draw(chance: Chance): Omit<Work, 'key'> {
  const drawn = chance.next();
  if (drawn < 0.5) return { body: { kind: 'diagnostic.echo', input: { drawn } }, ends: 'succeeded' };
  if (drawn < 0.7)
    return { body: { kind: 'diagnostic.sleep', input: { seconds: below(chance, 4) } }, ends: 'succeeded' };
  if (drawn < 0.8)
    return {
      body: { kind: 'diagnostic.fail', input: { times: 1, retryAfterSeconds: below(chance, 5) } },
      ends: 'succeeded',
    };
  if (drawn < 0.85)
    return { body: { kind: 'diagnostic.fail', input: { times: 9, retryAfterSeconds: 1 } }, ends: 'dead' };
  if (drawn < 0.9) return { body: { kind: 'diagnostic.fail', input: { terminal: true } }, ends: 'failed' };
  return {
    body: { kind: 'diagnostic.echo', input: 'later', delaySeconds: 5 + below(chance, 60) },
    ends: 'succeeded',
  };
}

/** `count` pieces of work; the same seed gives the same. */
export function drawWork(count: number, seed: number): readonly Work[] {
  const chance = seededChance(seed);
  return Array.from({ length: count }, (_, index) => ({ key: `chaos-${seed}-${index}`, ...draw(chance) }));
}

/** A small table for the ingest pipeline; `index` makes each another. */
export const csvOf = (index: number): string =>
  ['id,city,amount', ...Array.from({ length: 50 }, (_, row) => `${row},Town ${index},${row * index}.5`)].join('\n');
