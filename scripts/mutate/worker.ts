// A thread of `npm run mutate`: it puts a mutant into its rule tables and looks whether a law of the table or a simulated run turns red.
import { parentPort } from 'node:worker_threads';
import { explore } from '../../lib/testing/simulation/explore.ts';
import type { JobRuleName } from '../../lib/job/rules.ts';
import type { SideRuleName } from '../../lib/job/side/side-rules.ts';
import { brokenLaw } from '../../test/protocol/support/laws/laws.ts';
import { brokenSideLaw } from '../../test/protocol/support/laws/side-laws.ts';
import { useMutant } from './mutant.ts';
import type { MutantAnswer, MutantTask } from './tasks.ts';

Error.stackTraceLimit = 0;

async function kill({ name, runs, without }: MutantTask): Promise<MutantAnswer> {
  const { ruleName } = useMutant(name);
  const law = without === 'laws' ? undefined : lawOf(name, ruleName);
  if (law !== undefined) return { killedBy: `law: ${law}`, runs: 0 };
  try {
    const { broken, runs: done } = await explore({ from: 1, count: runs, untilBroken: true });
    return { killedBy: broken[0] && `simulation: ${broken[0].law}`, runs: done };
  } catch (thrown) {
    return { killedBy: `simulation: throws ${String(thrown)}`, runs };
  }
}

const lawOf = (name: string, rule: string): string | undefined =>
  name.startsWith('side/') ? brokenSideLaw(rule as SideRuleName) : brokenLaw(rule as JobRuleName);

parentPort?.on('message', (task: MutantTask) => void kill(task).then((answer) => parentPort?.postMessage(answer)));
