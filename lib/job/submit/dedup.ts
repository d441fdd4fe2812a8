// At most one job that has not ended per dedup key. A dedup row names its holder and counts while that job has not ended. Every write that
// makes a job the holder is one transaction, which tests the holder that was read and that this one has ended.
import * as z from 'zod';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import { type JobId, type JobRef, newId, type Scope } from '../../core/ids.ts';
import { seconds } from '../../core/time.ts';
import type { Guard } from '../../rule/rule.ts';
import type { Engine } from '../engine.ts';
import type { PreparedJob } from './new-row.ts';
import type { RuleParams, TransactWrite } from '../ports.ts';
import { versionRead } from '../rule-parts.ts';
import { type JobRow, refOf } from '../row.ts';
import { cancelledError } from '../run/settle.ts';
import type { SideParams, SideRef } from '../side/side.ts';
import { isTerminal, terminalStatuses } from '../status.ts';
import { ending } from '../timing.ts';
import { readRow, untilAnswered, writeSubmitTogether } from '../write.ts';

type DedupEngine = Pick<Engine, 'store' | 'clock' | 'chance' | 'settings'>;

/** `keep`: the job that has the key is the answer. `replace`: it is cancelled; one that runs already is in the way. */
export type OnDuplicate = 'keep' | 'replace';

/** Rows move on between each read and write, this often, only under more rivals than a key can have. */
const MOST_DECISIONS = 20;
const READ_PATIENCE = seconds(3);

const dedupRowSchema = z.object({ holder: z.custom<JobId>((value) => typeof value === 'string') });

export const dedupRef = ({ tenant, workspace }: Scope, key: string): SideRef => ({
  tenant,
  workspace,
  family: 'dedup',
  group: '',
  name: key,
});

/** The job is gone, or has ended. */
const ended: readonly Guard[] = [{ anyOf: [[['id', 'absent']], [['status', 'in', terminalStatuses]]] }];

/** Who has the key: nobody, the job itself, one that has ended or is gone, or one that is in the way. */
type Holding =
  | { readonly kind: 'free'; readonly writes: readonly TransactWrite[] }
  | { readonly kind: 'held'; readonly holder: JobRow; readonly take: TransactWrite };

/**
 * Submits the job as the holder of the key. Throws Fault DEDUP_KEY_HELD where the job to be replaced is running, CONFLICT when the holder
 * changed each time, and StoreUnavailable.
 */
export async function submitUnderKey(
  engine: DedupEngine,
  { row, params }: PreparedJob,
  key: string,
  onDuplicate: OnDuplicate,
): Promise<{ readonly row: JobRow; readonly created: boolean; readonly duplicate?: true }> {
  let beside: readonly TransactWrite[] = [makeHolder(engine, row, key)];
  for (let decision = 0; decision < MOST_DECISIONS; decision++) {
    const answer = await writeSubmitTogether(engine, row, params, beside);
    if (answer.kind === 'applied') return { row: answer.row, created: true };
    if (answer.job) return { row: must(answer.found, 'the row that refused'), created: false };
    const holding = await readHolding(engine, row, key);
    if (holding.kind === 'held' && onDuplicate === 'keep')
      return { row: holding.holder, created: false, duplicate: true };
    beside = holding.kind === 'free' ? holding.writes : [holding.take, cancelHolder(engine, holding.holder, row.id)];
  }
  throw new Fault('CONFLICT', 'The dedup key changed hands each time.');
}

/**
 * What goes into the transaction of a redrive, so that the job has its dedup key again; nothing for a job without one. Read anew where
 * the transaction is refused. Throws Fault DEDUP_KEY_HELD naming the job that has it.
 */
export async function retakeDedup(engine: DedupEngine, row: JobRow): Promise<readonly TransactWrite[]> {
  if (row.dedupKey === undefined) return [];
  const holding = await readHolding(engine, row, row.dedupKey);
  if (holding.kind === 'free') return holding.writes;
  throw heldBy(holding.holder, 'has the dedup key and has not ended');
}

/** Lets the row of a dedup key go when the job does that had it last. Nothing where the job has moved on. Throws StoreUnavailable. */
export async function forgetKey(engine: DedupEngine, job: JobRow): Promise<void> {
  const { dedupKey, version, expiresAt, id: holder } = job;
  if (dedupKey === undefined || expiresAt === undefined) return;
  const params: SideParams<'forget-key'> = { holder, expiresAt };
  const forget: TransactWrite = { side: dedupRef(job, dedupKey), rule: 'forget-key', params };
  const unchanged: TransactWrite = { check: refOf(job), guards: [versionRead], params: { version } };
  await engine.store.transact([forget, unchanged], newId('w', engine.clock.now(), engine.chance));
}

const heldBy = (holder: JobRow, why: string): Fault =>
  new Fault('DEDUP_KEY_HELD', `The job ${holder.id} ${why}.`, { extra: { jobId: holder.id } });

async function readHolding(engine: DedupEngine, ref: JobRef, key: string): Promise<Holding> {
  const side = dedupRef(ref, key);
  const stored = await untilAnswered(engine, READ_PATIENCE, () => engine.store.getSide(side));
  if (stored === undefined) return { kind: 'free', writes: [makeHolder(engine, ref, key)] };
  const { holder: holderRead } = dedupRowSchema.parse(stored);
  const params: SideParams<'take-key'> = { holderRead, holder: ref.id };
  const take: TransactWrite = { side, rule: 'take-key', params };
  if (holderRead === ref.id) return { kind: 'free', writes: [take] };
  const holderRef = { tenant: ref.tenant, workspace: ref.workspace, id: holderRead };
  const holder = await readRow(engine, holderRef);
  if (holder !== undefined && !isTerminal(holder.status)) return { kind: 'held', holder, take };
  return { kind: 'free', writes: [take, { check: holderRef, guards: ended, params: {} }] };
}

function makeHolder({ clock }: DedupEngine, { tenant, workspace, id }: JobRef, key: string): TransactWrite {
  const params: SideParams<'create'> = { now: clock.now(), fields: { holder: id } };
  return { side: dedupRef({ tenant, workspace }, key), rule: 'create', params };
}

/** Throws where it runs: a running job ends when it hears of a cancel, and two would hold the key meanwhile. */
function cancelHolder({ clock, chance, settings }: DedupEngine, holder: JobRow, by: JobId): TransactWrite {
  if (holder.status === 'running') throw heldBy(holder, 'is running and cannot be replaced');
  const now = clock.now();
  const params: RuleParams<'cancel'> = {
    ...ending(settings, now, 'cancelled'),
    version: holder.version,
    writeId: newId('w', now, chance),
    error: cancelledError(`replaced by ${by}`),
  };
  return { job: refOf(holder), rule: 'cancel', params };
}
