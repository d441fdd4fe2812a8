// What searches may spend: a little of the month's budget at a time, reserved in one write and drawn on in memory, since a write a search
// would cost more than the model.
import type { Chance } from '../../../core/chance.ts';
import type { Documents } from '../../../core/documents.ts';
import { newId, type Scope } from '../../../core/ids.ts';
import type { Clock } from '../../../core/time.ts';
import { type Budget, createBudget, monthOf } from '../../describe/ledger.ts';
import { costOf } from '../../describe/prices.ts';
import type { EmbedderSettings } from './embeddings.ts';

export interface AllowanceDeps {
  readonly documents: Documents;
  readonly clock: Clock;
  readonly embedder: EmbedderSettings;
  readonly chance: Chance;
}

/** Tokens that are reserved at once: some hundred searches. */
const TOKENS = 10_000;

interface Open {
  readonly month: string;
  left: number;
  questions: number;
}

/** Of one workspace, in this instance. */
export interface Allowance {
  /** Whether so many tokens may be asked for. Throws what the ledger throws. */
  take(tokens: number): Promise<boolean>;
}

/** What an instance that ends has not used stays counted as spent. */
export function createAllowance({ documents, clock, embedder, chance }: AllowanceDeps, scope: Scope): Allowance {
  const { price, limits, embeddings } = embedder;
  const attempt = String(newId('req', clock.now(), chance));
  const budget: Budget = createBudget({ documents, scope, clock, limits, attempt });
  const reserved = costOf(price, { input: TOKENS, output: 0 });
  let open: Open | undefined;
  let opening: Promise<boolean> | undefined;

  const settle = async ({ left, questions }: Open): Promise<void> => {
    const inputTokens = TOKENS - left;
    const microcents = costOf(price, { input: inputTokens, output: 0 });
    const usage = { inputTokens, outputTokens: 0, microcents, outcome: 'answered' } as const;
    await budget.settle(reserved, { purpose: 'search', model: embeddings.model, ...usage }, questions);
  };

  const renew = async (): Promise<boolean> => {
    const used = open;
    open = undefined;
    if (used !== undefined) await settle(used);
    if ((await budget.reserve(reserved)) !== 'reserved') return false;
    open = { month: monthOf(clock.now()), left: TOKENS, questions: 0 };
    return true;
  };

  return {
    take: async (tokens) => {
      const month = monthOf(clock.now());
      if (open === undefined || open.left < tokens || open.month !== month) {
        opening ??= renew().finally(() => (opening = undefined));
        if (!(await opening)) return false;
      }
      if (open === undefined || open.left < tokens) return false;
      open.left -= tokens;
      open.questions += 1;
      return true;
    },
  };
}
