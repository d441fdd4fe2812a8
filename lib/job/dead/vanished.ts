// Jobs of workspaces that are deleted or gone: they end as they fall due.
import { Fault } from '../../core/fault.ts';
import type { JobRef } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Engine } from '../engine.ts';
import { finalError } from './fingerprint.ts';
import { cancelJob } from '../run/cancel.ts';
import { jobError } from '../run/outcome.ts';
import { afterClaim } from '../gates/release.ts';
import type { JobRow } from '../row.ts';
import { isTerminal } from '../status.ts';
import { ending } from '../timing.ts';
import { readRow, writeRule } from '../write.ts';

type EndEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;

/** The job ended as its tenant did; undefined where it has ended already, or moves on: the next sweep comes back to it. */
export async function entombJob(engine: EndEngine, ref: JobRef, now: EpochMs): Promise<JobRow | undefined> {
  const row = await readRow(engine, ref);
  if (row === undefined || isTerminal(row.status)) return undefined;
  const error = finalError(row, jobError('TENANT_DELETED', 'The workspace is gone.', false));
  const end = { ...ending(engine.settings, now, 'dead'), error };
  const written = await writeRule(engine, ref, 'entomb', { version: row.version, ...end });
  if (written.kind === 'refused') return undefined;
  if (row.status === 'running') await afterClaim(engine, written.row, row.epoch);
  return written.row;
}

/** The job of a workspace that is deleted, cancelled or told to stop; undefined where it has ended already, or moves on each time. */
export async function stopJob(engine: EndEngine, ref: JobRef): Promise<JobRow | undefined> {
  const row = await readRow(engine, ref);
  if (row === undefined || isTerminal(row.status)) return undefined;
  return cancelJob(engine, ref, 'The workspace is deleted.').catch(unlessMoved);
}

function unlessMoved(thrown: unknown): undefined {
  if (!(thrown instanceof Fault)) throw thrown;
}
