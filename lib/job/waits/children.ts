// The children of a job: each has a side row in its parent's group, made before it is submitted, that keeps how it ended. Whoever notes
// an end counts it in the same transaction, so that it is counted once; a parent that waits is unparked when the count is reached.
import * as z from 'zod';
import { newId, type JobId, type JobRef } from '../../core/ids.ts';
import { between, days, type EpochMs } from '../../core/time.ts';
import { besideExpiry } from '../beside-life.ts';
import type { Engine } from '../engine.ts';
import type { TransactWrite } from '../ports.ts';
import { type JobError, type JobRow, jobErrorSchema, type PayloadRef, payloadRefSchema, refOf } from '../row.ts';
import type { SideRef } from '../side/side.ts';
import { isTerminal, type TerminalStatus, terminalStatuses } from '../status.ts';
import { type UnparkEngine, unparkFrom } from './unpark.ts';
import { PATIENCE, untilAnswered } from '../write.ts';

export const CHILDREN = 'children';

const childRowSchema = z.lazy(() =>
  z.object({
    kind: z.string(),
    /** The life of the parent (its redrives) that submitted it. */
    life: z.number(),
    made: z.custom<EpochMs>((value) => typeof value === 'number'),
    /** How it ended; absent until it has. */
    status: z.enum(terminalStatuses).optional(),
    /** JSON. */
    result: z.string().optional(),
    error: z.string().optional(),
  }),
);
const counterSchema = z.object({ ended: z.number().default(0) });

export interface ChildRow {
  readonly id: JobId;
  readonly kind: string;
  readonly life: number;
  /** When it was announced. */
  readonly made: EpochMs;
  readonly status?: TerminalStatus | undefined;
  readonly result?: PayloadRef | undefined;
  readonly error?: JobError | undefined;
}

/** The name of the counter; a child's row is named by its id. */
const COUNTER = 'ended';
const sideOf = ({ tenant, workspace, id }: JobRef, name: string): SideRef => ({
  tenant,
  workspace,
  family: 'children',
  group: id,
  name,
});

function readChild(name: string, row: unknown): ChildRow {
  const { result, error, ...rest } = childRowSchema.parse(row);
  return {
    id: name as unknown as JobId,
    ...rest,
    ...(result !== undefined && { result: payloadRefSchema.parse(JSON.parse(result)) }),
    ...(error !== undefined && { error: jobErrorSchema.parse(JSON.parse(error)) }),
  };
}

type Store = Pick<Engine, 'store'>;
type Writer = Pick<Engine, 'store' | 'clock' | 'chance'>;

/** A child as its parent's rows have it; undefined for one that was never meant. */
export async function findChild({ store }: Store, parent: JobRef, child: JobId): Promise<ChildRow | undefined> {
  const row = await store.getSide(sideOf(parent, child));
  return row === undefined ? undefined : readChild(child, row);
}

/** Every child of a job, in all its lives. */
export async function listChildren({ store }: Store, parent: JobRef): Promise<ChildRow[]> {
  const children: ChildRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.listSides(sideOf(parent, ''), { limit: 500, cursor, prefix: 'job_' });
    children.push(...page.items.map(({ name, row }) => readChild(name, row)));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return children;
}

/** Says that there will be such a child, before it is submitted: a crash in between leaves nothing that nobody knows. */
export async function announceChild(engine: Writer, parent: JobRow, child: JobId, kind: string): Promise<void> {
  const now = engine.clock.now();
  const fields = { kind, life: parent.redrives ?? 0, expiresAt: besideExpiry(now) };
  await untilAnswered(engine, PATIENCE, () =>
    engine.store.writeSide(sideOf(refOf(parent), child), 'create', { fields, now }),
  );
}

/** How many children of the job have ended, in all its lives. */
export async function countEnded({ store }: Store, parent: JobRef): Promise<number> {
  return counterSchema.parse((await store.getSide(sideOf(parent, COUNTER))) ?? {}).ended;
}

/** What a park for children is checked with: that fewer than `awaits` have ended. */
export const fewerEnded = (parent: JobRef, awaits: number): TransactWrite => ({
  side: sideOf(parent, COUNTER),
  rule: 'fewer-ended',
  params: { limit: awaits },
});

/** Notes a child's end, and counts it, once; nothing for a child that its parent did not submit. */
async function noteEnd(engine: Writer, parent: JobRef, child: Pick<ChildRow, 'id'>, end: Ended): Promise<void> {
  const now = engine.clock.now();
  const writes: readonly TransactWrite[] = [
    { side: sideOf(parent, child.id), rule: 'child-ended', params: { fields: end } },
    { side: sideOf(parent, COUNTER), rule: 'count-ended', params: { expiresAt: besideExpiry(now) } },
  ];
  const token = newId('w', now, engine.chance);
  await untilAnswered(engine, PATIENCE, () => engine.store.transact(writes, token));
}

interface Ended {
  readonly status: TerminalStatus;
  readonly result?: string | undefined;
  readonly error?: string | undefined;
}

const endOf = ({ result, error }: JobRow, status: TerminalStatus): Ended => ({
  status,
  result: result && JSON.stringify(result),
  error: error && JSON.stringify(error),
});

/** A child that is still not there, or not any more, after so long: nobody will hear of how it ended. */
const GONE_AFTER = days(30);
const gone: Ended = {
  status: 'cancelled',
  error: JSON.stringify({ code: 'NOT_FOUND', detail: 'The child was removed.', retriable: false }),
};

/** The parent hears that a child has ended, and goes on if it waited for this one last. */
export async function childEnded(engine: UnparkEngine, child: JobRow): Promise<void> {
  if (child.parentId === undefined || !isTerminal(child.status)) return;
  const parent: JobRef = { tenant: child.tenant, workspace: child.workspace, id: child.parentId };
  await noteEnd(engine, parent, child, endOf(child, child.status));
  const row = await engine.store.get(parent);
  if (row?.parked === CHILDREN && (await enough(engine, row))) await unparkFrom(engine, row, CHILDREN);
}

/** For a parked row that is due: notes the ends that nobody has noted, and says whether there are enough. */
export async function childrenOver(engine: Writer, row: JobRow): Promise<boolean> {
  const open = (await listChildren(engine, refOf(row))).filter(({ status }) => status === undefined);
  for (const child of open) {
    const found = await engine.store.get({ ...refOf(row), id: child.id });
    if (found === undefined && between(child.made, engine.clock.now()) > GONE_AFTER)
      await noteEnd(engine, refOf(row), child, gone);
    if (found !== undefined && isTerminal(found.status))
      await noteEnd(engine, refOf(row), child, endOf(found, found.status));
  }
  return enough(engine, row);
}

const enough = async (engine: Store, row: JobRow): Promise<boolean> =>
  (await countEnded(engine, refOf(row))) >= (row.awaits ?? 0);
