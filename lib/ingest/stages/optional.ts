// A stage that the policy of the dataset may switch off, or do without where it fails.
import { Fault } from '../../core/fault.ts';
import { isOutage } from '../../core/outage.ts';
import { StoreUnavailable } from '../../job/ports.ts';
import { defineStage, type Stage, type StageContext } from '../../pipeline/stage.ts';
import { type IngestPolicy, type OptionalStage, policyOf } from '../policy.ts';
import type { OptionalOutput } from './optional-outputs.ts';
import { received } from './outputs.ts';

interface Optional<In, Table> extends Pick<Stage<In, OptionalOutput<Table>>, 'output'> {
  readonly name: OptionalStage;
  /** Answers an entry a table, in the order of the file. */
  readonly run: (ctx: StageContext, input: In) => Promise<{ tables: Table[] }>;
  /** Whether the policy needs what the stage finds, so that `best-effort` is not enough. */
  readonly needed?: (policy: IngestPolicy) => boolean;
}

/** The stage, as the policy that the run was received under demands it. */
export const optionalStage = <In, Table>({ name, output, run, needed }: Optional<In, Table>) =>
  defineStage<In, OptionalOutput<Table>>({
    name,
    output,
    run: async (ctx, input) => {
      const policy = policyOf((await ctx.outputOf(received)).policy);
      const demand = policy.stages[name];
      if (demand === 'off') return { tables: [], skipped: { why: 'off' } };
      try {
        return await run(ctx, input);
      } catch (thrown) {
        if (demand === 'required' || needed?.(policy) === true || !isOwnFailure(ctx, thrown)) throw thrown;
        ctx.log.warn('A best-effort stage failed.', { stage: name, error: String(thrown) });
        return { tables: [], skipped: { why: 'failed', reason: reasonOf(thrown) } };
      }
    },
  });

/** What is no outage and no end of the run: another attempt would meet it again. */
const isOwnFailure = ({ signal }: StageContext, thrown: unknown): boolean =>
  !signal.aborted && !(thrown instanceof StoreUnavailable) && !isOutage(thrown);

/** What a stranger may read. */
const reasonOf = (thrown: unknown): string =>
  thrown instanceof Fault ? `${thrown.code}: ${thrown.message}` : 'An unexpected error; the log of the job has it.';
