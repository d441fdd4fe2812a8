// Failures of one cause are a group: a row that counts them, and a row for each job in it. A job is in its group exactly while it is
// listed as failed or dead: the relay lets it in when it ends so, and out when it is redriven, discarded or gone.
import * as z from 'zod';
import { newId, type Scope } from '../../core/ids.ts';
import { type EpochMs, epochMs } from '../../core/time.ts';
import type { Engine } from '../engine.ts';
import type { JobStore, Page, PageRequest, TransactWrite } from '../ports.ts';
import { type JobRow, refOf } from '../row.ts';
import type { SideGroup, SideRef } from '../side/side.ts';

type Writer = Pick<Engine, 'store' | 'clock' | 'chance'>;
/** A row that is listed as failed or dead. */
export type DeadRow = JobRow & {
  readonly finishedAt: EpochMs;
  readonly error: { readonly fingerprint: string; readonly code: string; readonly detail: string };
};

const groupSchema = z.lazy(() =>
  z.object({
    kind: z.string(),
    code: z.string(),
    stage: z.string().optional(),
    /** Of the failure that was let in last. */
    message: z.string(),
    count: z.number(),
    first: z.number().transform(epochMs),
  }),
);
const memberSchema = z.lazy(() =>
  z.object({ id: z.custom<JobRow['id']>((id) => typeof id === 'string'), finishedAt: z.number() }),
);

export interface DeadGroup extends z.output<typeof groupSchema> {
  readonly fingerprint: string;
  /** When the latest of its jobs ended. */
  readonly last: EpochMs;
  /** The latest few. */
  readonly sample: readonly JobRow['id'][];
}

const SAMPLE = 3;
/** Holds every millisecond. */
const DIGITS = 16;
/** How often the group's row may come or go between two tries. */
const MOST_TRIES = 4;

/** The row as one of a group; undefined where it is in none. */
export function listedDead(row: JobRow | undefined): DeadRow | undefined {
  const listed = (row?.status === 'failed' || row?.status === 'dead') && row.discarded !== true;
  return listed && row.error?.fingerprint !== undefined && row.finishedAt !== undefined ? (row as DeadRow) : undefined;
}

const scopeOf = ({ tenant, workspace }: Scope): Scope => ({ tenant, workspace });
const groupsOf = (scope: Scope): SideGroup => ({ ...scopeOf(scope), family: 'dead', group: '' });
const membersOf = (scope: Scope, fingerprint: string): SideGroup => ({
  ...scopeOf(scope),
  family: 'dead',
  group: fingerprint,
});
const groupRow = (row: DeadRow): SideRef => ({ ...groupsOf(row), name: row.error.fingerprint });
/** Names sort the latest end first. */
const memberRow = (row: DeadRow): SideRef => ({
  ...membersOf(row, row.error.fingerprint),
  name: `${String(10 ** DIGITS - 1 - row.finishedAt).padStart(DIGITS, '0')}#${row.id}`,
});

/**
 * Lets a job into its group, once for each end: not where it has left this end behind, and not twice. Throws StoreUnavailable; what was
 * not answered may be tried again.
 */
export async function joinGroup(engine: Writer, row: DeadRow): Promise<void> {
  const now = engine.clock.now();
  const { kind, error, finishedAt } = row;
  const message = { message: error.detail };
  const fresh = { kind, code: error.code, stage: error.stage, ...message, count: 1, first: finishedAt };
  const stillDead: TransactWrite = {
    check: refOf(row),
    guards: [
      ['finishedAt', '=', ':finishedAt'],
      ['discarded', 'absent'],
    ],
    params: { finishedAt },
  };
  const member: TransactWrite = {
    side: memberRow(row),
    rule: 'create',
    params: { fields: { id: row.id, finishedAt }, now },
  };
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const counted: TransactWrite =
      tries % 2 === 0
        ? { side: groupRow(row), rule: 'count', params: { by: 1, fields: message } }
        : { side: groupRow(row), rule: 'create', params: { fields: fresh, now } };
    if (await applies(engine, [stillDead, member, counted])) return;
  }
  throw new TypeError('the row of a group comes and goes');
}

/** Lets a job out of its group, if it is in it. Throws StoreUnavailable. */
export async function leaveGroup(engine: Writer, row: DeadRow): Promise<void> {
  const group = groupRow(row);
  const left = await applies(engine, [
    { side: memberRow(row), rule: 'remove', params: {} },
    { side: group, rule: 'count', params: { by: -1, fields: {} } },
  ]);
  if (left) await engine.store.writeSide(group, 'remove-empty', {});
}

/** True also where a write before the last one refuses: then there is nothing to do. */
async function applies(engine: Writer, writes: readonly TransactWrite[]): Promise<boolean> {
  const answer = await engine.store.transact(writes, newId('w', engine.clock.now(), engine.chance));
  return answer.kind === 'applied' || answer.refusals.slice(0, -1).some((refusal) => refusal !== undefined);
}

/** Groups of a workspace, by fingerprint. */
export async function deadGroups(
  store: Pick<JobStore, 'listSides'>,
  scope: Scope,
  page: PageRequest,
): Promise<Page<DeadGroup>> {
  const { items, cursor } = await store.listSides(groupsOf(scope), page);
  const groups = await Promise.all(
    items.map(async ({ name, row }): Promise<DeadGroup> => {
      const group = groupSchema.parse(row);
      const { items: latest } = await groupMembers(store, scope, name, { limit: SAMPLE });
      const last = epochMs(latest[0]?.finishedAt ?? group.first);
      return { ...group, fingerprint: name, last, sample: latest.map(({ id }) => id) };
    }),
  );
  return { items: groups, ...(cursor !== undefined && { cursor }) };
}

/** The jobs of a group, the latest end first. */
export async function groupMembers(
  store: Pick<JobStore, 'listSides'>,
  scope: Scope,
  fingerprint: string,
  page: PageRequest,
): Promise<Page<z.output<typeof memberSchema>>> {
  const { items, cursor } = await store.listSides(membersOf(scope, fingerprint), page);
  return { items: items.map(({ row }) => memberSchema.parse(row)), ...(cursor !== undefined && { cursor }) };
}
