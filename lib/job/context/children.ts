// A job's children: submitted under ids that every run works out alike, so that a run that crashed submits none twice, and waited for
// without a process.
import { Fault } from '../../core/fault.ts';
import { derivedId, type JobId } from '../../core/ids.ts';
import { later } from '../../core/time.ts';
import {
  announceChild,
  type ChildRow,
  CHILDREN,
  countEnded,
  fewerEnded,
  findChild,
  listChildren,
} from '../waits/children.ts';
import type { Engine } from '../engine.ts';
import { loadPayload } from '../payload.ts';
import { type JobRow, refOf } from '../row.ts';
import { submitJob } from '../submit/submit.ts';
import { untilAnswered } from '../write.ts';
import { createNames, type Parking, refuseInsideStep } from './interrupt.ts';
import type { ChildEnd, ChildOptions } from './types.ts';

export interface Children {
  submit(kind: string, input: unknown, options?: ChildOptions): Promise<JobId>;
  waitForAll(): Promise<readonly ChildEnd[]>;
}

interface Parent {
  readonly engine: Engine;
  readonly row: JobRow;
  readonly parking: Parking;
  readonly signal: AbortSignal;
  readonly stage?: string | undefined;
}

const MOST_CHILDREN = 1000;

export function createChildren(parent: Parent): Children {
  const claimName = createNames('child');
  const submitted = new Map<number, JobId>();
  let count = 0;
  return {
    submit: async (kind, input, options = {}) => {
      refuseInsideStep('ctx.submit');
      parent.signal.throwIfAborted();
      if (options.name !== undefined) claimName(options.name);
      const place = count;
      count += 1;
      if (place >= MOST_CHILDREN)
        throw new Fault(
          'LIMIT_EXCEEDED',
          `A run submits at most ${MOST_CHILDREN} children; let children submit children of their own.`,
        );
      const id = childId(parent, options.name ?? place);
      await submitChild(parent, id, kind, input, options);
      submitted.set(place, id);
      return id;
    },
    waitForAll: async () => {
      refuseInsideStep('ctx.waitForChildren');
      parent.signal.throwIfAborted();
      const ids = [...submitted].sort(([a], [b]) => a - b).map(([, id]) => id);
      return ids.length === 0 ? [] : waitForAll(parent, ids);
    },
  };
}

/** The same in every run of one life of the parent; a redrive has children of its own. */
const childId = ({ row, stage = '' }: Parent, name: string | number): JobId =>
  derivedId(
    'job',
    ...[row.tenant, row.workspace, row.id, String(row.createdAt), String(row.redrives ?? 0), stage],
    typeof name === 'number' ? `no ${name}` : `name ${name}`,
  );

async function submitChild(
  { engine, row }: Parent,
  id: JobId,
  kind: string,
  input: unknown,
  { lane, delay, flow, guard, concurrencyKey }: ChildOptions,
): Promise<void> {
  const answer = <T>(ask: () => Promise<T>): Promise<T> => untilAnswered(engine, engine.settings.lease, ask);
  const known = await answer(() => findChild(engine, refOf(row), id));
  // Its job may be gone again where it has ended, so that its row alone says that it was there.
  if (known?.status !== undefined) return;
  if (known !== undefined && (await answer(() => engine.store.get({ ...refOf(row), id }))) !== undefined) return;
  if (known === undefined) await announceChild(engine, row, id, kind);
  const { tenant, workspace, correlationId, traceparent } = row;
  const notBefore = delay === undefined || delay <= 0 ? undefined : later(engine.clock.now(), delay);
  const gates = { flow, guard, concurrencyKey };
  const request = { scope: { tenant, workspace }, kind, input, id, lane, notBefore, ...gates, parentId: row.id };
  await submitJob(engine, { ...request, correlationId, traceparent });
}

async function waitForAll({ engine, row, parking }: Parent, ids: readonly JobId[]): Promise<readonly ChildEnd[]> {
  const ref = refOf(row);
  const answer = <T>(ask: () => Promise<T>): Promise<T> => untilAnswered(engine, engine.settings.lease, ask);
  // The count first: what ends between the two reads then only makes the run start again sooner.
  const ended = await answer(() => countEnded(engine, ref));
  const children = new Map((await answer(() => listChildren(engine, ref))).map((child) => [child.id, child]));
  const mine = ids.map((id) => children.get(id)).filter((child) => child !== undefined);
  const open = mine.filter(({ status }) => status === undefined).length;
  if (open === 0) return Promise.all(mine.map((child) => answer(() => endOf(engine, row, child))));
  const awaits = ended + open;
  return parking.park({ kind: 'park', reason: CHILDREN, awaits, checks: [fewerEnded(ref, awaits)] });
}

async function endOf(engine: Engine, row: JobRow, { id, kind, status, result, error }: ChildRow): Promise<ChildEnd> {
  if (status === undefined) throw new TypeError(`${id} has not ended`);
  if (result === undefined) return { id, kind, status, ...(error !== undefined && { error }) };
  return { id, kind, status, result: await loadPayload(engine, { ...refOf(row), id }, result) };
}
