// What operators and callers do to single jobs.
import { cancelJob } from '../../../job/cancel.ts';
import type { Engine } from '../../../job/engine.ts';
import { jobError } from '../../../job/outcome.ts';
import type { JobRow } from '../../../job/row.ts';
import { ringFor } from '../../../job/ring.ts';
import { isTerminal } from '../../../job/status.ts';
import { dueWhenQueued, ending } from '../../../job/timing.ts';
import { writeRule } from '../../../job/write.ts';
import type { JobRef } from '../../../core/ids.ts';
import type { Cast } from '../actors/cast.ts';
import { submitAgain } from '../actors/client.ts';
import type { Act } from './act.ts';

const asOperator =
  (does: (engine: Engine, row: JobRow, ref: JobRef) => Promise<unknown>) =>
  async (_world: unknown, cast: Cast, ref: JobRef): Promise<void> => {
    await cast.inProcess('operator', async (engine) => {
      const row = await engine.store.get(ref);
      if (row !== undefined) await does(engine, row, ref);
    });
  };

const cancel: Act = {
  name: 'cancel',
  usually: 0.2,
  within: 200_000,
  perform: asOperator((engine, _row, ref) => cancelJob(engine, ref, 'asked')),
};

const reclaim: Act = {
  name: 'reclaim',
  usually: 0.1,
  within: 120_000,
  perform: asOperator(async (engine, { status, version }, ref) => {
    if (status === 'running') await writeRule(engine, ref, 'reclaim', { version, now: engine.clock.now() });
  }),
};

const entomb: Act = {
  name: 'entomb',
  usually: 0.06,
  within: 150_000,
  perform: asOperator(async (engine, { status, version }, ref) => {
    if (isTerminal(status)) return;
    const error = jobError('TENANT_DELETED', 'Its tenant is gone.', false);
    await writeRule(engine, ref, 'entomb', { version, ...ending(engine.settings, engine.clock.now(), 'dead'), error });
  }),
};

const redrive: Act = {
  name: 'redrive',
  usually: 0.3,
  within: 900_000,
  perform: asOperator(async (engine, { status, version }, ref) => {
    if (!isTerminal(status) || status === 'succeeded') return;
    const now = engine.clock.now();
    const written = await writeRule(engine, ref, 'redrive', { version, dueAt: dueWhenQueued(engine.settings, now) });
    if (written.kind === 'applied') await ringFor(engine, written.row, now);
  }),
};

/** While it lives, and long after it may have been forgotten. */
const resubmit: Act = {
  name: 'resubmit',
  usually: 0.15,
  within: 400_000,
  perform: (world, cast, ref, place) => submitAgain(world, cast, ref, place),
};
const resubmitLate: Act = { ...resubmit, name: 'resubmit late', usually: 0.05, within: 6_000_000 };

export const operatorActs: readonly Act[] = [cancel, reclaim, entomb, redrive, resubmit, resubmitLate];
