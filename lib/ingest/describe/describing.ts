// How a run describes tables: with which model, within which budget, and when a pass goes on with what is left.
import type { Documents } from '../../core/documents.ts';
import type { Chance } from '../../core/chance.ts';
import { type DatasetId, type Scope, type TableId } from '../../core/ids.ts';
import { objectKey } from '../../core/objects.ts';
import { between, days, type DurationMs, hours, later, millis, minutes } from '../../core/time.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { writeOnce } from '../../pipeline/write-once.ts';
import type { Describer } from './facts.ts';
import { claimPass, type PassGroup } from './follow-up.ts';
import { type Budget, type BudgetLimits, createBudget, nextMonth } from './ledger.ts';
import { type Model, patientModel } from './model.ts';
import { createModelDescriber, type KeptAnswers, type NoAnswer, NotDescribed } from './model-describer.ts';
import type { Price } from './prices.ts';

/** A model as a deployment names it. */
export interface ModelSettings {
  readonly model: Model;
  readonly price: Price;
  /** Microcents. */
  readonly limits: BudgetLimits;
  readonly chance: Chance;
}

export interface Describing {
  /** Undefined where no model is configured. */
  of(table: TableId): Describer | undefined;
  /** Undefined where no model is configured. */
  readonly budget: Budget | undefined;
}

/** How long one run goes on asking; a stage has a quarter of an hour in all. */
const ASKING: DurationMs = minutes(6);

export function describingIn(
  ctx: StageContext,
  documents: Documents,
  dataset: DatasetId,
  settings: ModelSettings | undefined,
): Describing {
  if (settings === undefined) return { of: () => undefined, budget: undefined };
  const { tenant, workspace, id: job } = ctx.ref;
  const { price, limits, chance } = settings;
  const { clock } = ctx;
  const attempt = String(ctx.epoch);
  const budget = createBudget({ documents, scope: { tenant, workspace }, clock, limits, job, attempt });
  const model = patientModel(settings.model, { clock, chance });
  const kept = keptAnswers(ctx);
  const until = clock.monotonic() + ASKING;
  return {
    budget,
    of: (table) => {
      const asking = createModelDescriber({ model, price, budget, spender: { dataset, table }, kept });
      return {
        describe: (request) => {
          if (clock.monotonic() > until) throw new NotDescribed('run', 'The run has asked for long enough.');
          return asking.describe(request);
        },
      };
    },
  };
}

/** Beside what attempts of the job write, so that each attempt finds them. */
function keptAnswers({ ref: { tenant, workspace, id }, objects }: StageContext): KeptAnswers {
  const keyOf = (name: string) => objectKey(tenant, workspace, 'jobs', id, 'describe', `${name}.json`);
  return {
    get: async (name) => {
      const bytes = await objects.get(keyOf(name));
      return bytes && Buffer.from(bytes).toString('utf8');
    },
    put: (name, answer) => writeOnce(objects, keyOf(name), answer),
  };
}

/**
 * When a pass is to go on with what is left: soon where only this run's money is gone; where the month's is, at its end, with a look each day,
 * since a budget may be raised. Undefined where another pass of the group is due already, or where asking again is in vain.
 */
export async function passAfter(
  ctx: Pick<StageContext, 'clock' | 'ref'>,
  documents: Documents,
  passes: PassGroup,
  { why, by }: { readonly why: NoAnswer | undefined; readonly by: 'pass due' | 'other' },
): Promise<DurationMs | undefined> {
  const now = ctx.clock.now();
  const delays: Partial<Record<NoAnswer, DurationMs>> = {
    run: minutes(10),
    silent: hours(1),
    month: millis(Math.min(days(1), between(now, nextMonth(now)))),
  };
  const delay = why && delays[why];
  if (delay === undefined) return undefined;
  const { tenant, workspace, id } = ctx.ref;
  const scope: Scope = { tenant, workspace };
  return (await claimPass(documents, scope, passes, { job: id, by, now, due: later(now, delay) })) ? delay : undefined;
}
