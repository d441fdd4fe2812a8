// A stage that the policy of the dataset may switch off, or do without where it fails.
import { Fault } from '../../core/fault.ts';
import { isOutage } from '../../core/outage.ts';
import { StoreUnavailable } from '../../job/ports.ts';
import { defineStage, type Stage, type StageContext } from '../../pipeline/stage.ts';
import { type OptionalStage, policyOf } from '../policy.ts';
import { type OptionalOutput, received } from './outputs.ts';

interface Optional<In, Table> extends Pick<Stage<In, OptionalOutput<Table>>, 'output'> {
  readonly name: OptionalStage;
  /** Answers an entry a table, in the order of the file. */
  readonly run: (ctx: StageContext, input: In) => Promise<{ tables: Table[] }>;
}

/** The stage, as the policy that the run was received under demands it. */
export const optionalStage = <In, Table>({ name, output, run }: Optional<In, Table>) =>
  defineStage<In, OptionalOutput<Table>>({
    name,
    output,
    run: async (ctx, input) => {
      const demand = policyOf((await ctx.outputOf(received)).policy).stages[name];
      if (demand === 'off') return { tables: [], skipped: { why: 'off' } };
      try {
        return await run(ctx, input);
      } catch (thrown) {
        if (demand === 'required' || !isOwnFailure(ctx, thrown)) throw thrown;
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
