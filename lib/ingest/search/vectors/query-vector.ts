// The vector of what people search: one call within a time limit, kept for those who ask the same. A model that does not answer is left
// alone for a while, so that not every search waits for it.
import type { Documents } from '../../../core/documents.ts';
import { asError } from '../../../core/check.ts';
import type { Scope } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import { type Clock, millis, seconds } from '../../../core/time.ts';
import { createAllowance, type Allowance } from './allowance.ts';
import type { Degraded } from './degraded.ts';
import { checkedVectors, type EmbedderSettings, tokensIn } from './embeddings.ts';
import { packed } from './vector.ts';

export interface QueryVectorDeps {
  readonly documents: Documents;
  readonly clock: Clock;
  readonly embedder: EmbedderSettings;
  readonly log?: Log | undefined;
}

export type NoVector = Exclude<Degraded, 'incomplete'>;
export type QueryVector = (scope: Scope, query: string) => Promise<Int8Array | NoVector>;

/** A search without it takes some milliseconds; people wait this long for a better one. */
const LIMIT = millis(1500);
const SILENCE = seconds(20);
const KEPT = 1000;
const WORKSPACES = 1000;

export function createQueryVector(deps: QueryVectorDeps): QueryVector {
  const { clock, log } = deps;
  const kept = createRecent<Promise<Int8Array | NoVector>>(KEPT);
  const allowances = createRecent<Allowance>(WORKSPACES);
  let silentUntil = 0;

  const ask = async (scope: Scope, query: string): Promise<Int8Array | NoVector> => {
    const place = JSON.stringify([scope.tenant, scope.workspace]);
    const allowance = allowances.get(place) ?? allowances.set(place, createAllowance(allowanceDeps(deps), scope));
    if (!(await allowance.take(tokensIn([query])))) return 'budget';
    return withinTime(deps, query);
  };

  return async (scope, query) => {
    const name = JSON.stringify([scope.tenant, scope.workspace, query]);
    const known = kept.get(name);
    if (known !== undefined) return known;
    if (clock.monotonic() < silentUntil) return 'model';
    const asked = ask(scope, query).catch((thrown: unknown): NoVector => {
      silentUntil = clock.monotonic() + SILENCE;
      log?.warn('search.model_silent', { failure: asError(thrown).name });
      return 'model';
    });
    const answer = await kept.set(name, asked);
    if (typeof answer === 'string') kept.delete(name);
    return answer;
  };
}

const allowanceDeps = ({ documents, clock, embedder }: QueryVectorDeps) => ({
  ...{ documents, clock, embedder, chance: embedder.chance },
});

/** Throws what the service throws, and an Error named TimeoutError after `LIMIT`. */
async function withinTime({ clock, embedder: { embeddings } }: QueryVectorDeps, query: string): Promise<Int8Array> {
  const [late, done] = [new AbortController(), new AbortController()];
  const question = { texts: [query], as: 'query', signal: late.signal } as const;
  const answered = embeddings.embed(question).then((answer) => checkedVectors(embeddings, question, answer));
  const timed = clock.sleep(LIMIT, done.signal).then(() => undefined);
  try {
    const vectors = await Promise.race([answered, timed]);
    if (vectors === undefined) throw Object.assign(new Error('no answer in time'), { name: 'TimeoutError' });
    return packed(vectors[0] ?? []);
  } finally {
    // What comes later is nobody's.
    answered.catch(() => undefined);
    late.abort();
    done.abort();
  }
}

/** The `most` that were used last. */
function createRecent<Value>(most: number) {
  const values = new Map<string, Value>();
  return {
    get: (name: string): Value | undefined => {
      const value = values.get(name);
      if (value === undefined) return undefined;
      values.delete(name);
      values.set(name, value);
      return value;
    },
    set: (name: string, value: Value): Value => {
      values.set(name, value);
      const oldest = values.keys().next().value;
      if (values.size > most && oldest !== undefined) values.delete(oldest);
      return value;
    },
    delete: (name: string) => values.delete(name),
  };
}
