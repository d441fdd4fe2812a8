// Row first: submitting writes one row and then rings. Where the queue is down, the submit still succeeds; the sweep rings later.
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import { toEpochSeconds } from '../../core/time.ts';
import { type OnDuplicate, submitUnderKey } from './dedup.ts';
import type { Engine } from '../engine.ts';
import { dropUnused } from './drop-unused.ts';
import { type NewJob, type PreparedJob, prepareJob, validInput } from './new-row.ts';
import { isInline } from '../payload.ts';
import type { AnyKind } from '../registry.ts';
import { ringFor } from '../ring.ts';
import type { JobRow } from '../row.ts';
import { readRow, writeSubmit } from '../write.ts';

export type SubmitEngine = Pick<
  Engine,
  'store' | 'ringer' | 'objects' | 'registry' | 'clock' | 'chance' | 'settings' | 'log'
>;

export interface SubmitRequest extends NewJob {
  readonly kind: string;
  /** What becomes of the job that has the dedup key and has not ended; `keep` by default. */
  readonly onDuplicate?: OnDuplicate | undefined;
}

export interface Submitted {
  readonly row: JobRow;
  /** False when the id was taken, or the dedup key: `row` is then the job that has it, with whatever input it was submitted. */
  readonly created: boolean;
  /** The job that is answered has the dedup key. */
  readonly duplicate?: true;
}

/**
 * Throws Fault UNKNOWN_KIND, VALIDATION_FAILED (pointers below `#/input`), LIMIT_EXCEEDED or DEDUP_KEY_HELD (the job to be replaced
 * is running), and StoreUnavailable.
 */
export async function submitJob(engine: SubmitEngine, request: SubmitRequest): Promise<Submitted> {
  const submitted = await writeRequest(engine, request);
  if (submitted.created) await ringFor(engine, submitted.row, submitted.row.createdAt);
  return submitted;
}

/** A submit whose doorbell is the caller's to ring. */
export async function writeRequest(engine: SubmitEngine, request: SubmitRequest): Promise<Submitted> {
  const kind = knownKind(engine, request.kind);
  const there = await jobThere(engine, kind, request);
  if (there !== undefined) return { row: there, created: false };
  const prepared = await prepareJob(engine, kind, request);
  const submitted = await writeJob(engine, prepared, request);
  if (!submitted.created) await dropUnused(engine, prepared.row, submitted.row);
  return submitted;
}

/** Who has a derived id already: asked for before an input is saved that costs more to save than this. */
async function jobThere(
  engine: SubmitEngine,
  kind: AnyKind,
  { id, scope, input }: SubmitRequest,
): Promise<JobRow | undefined> {
  if (id === undefined || isInline(validInput(kind, input))) return undefined;
  const row = await readRow(engine, { ...scope, id });
  const { tombstone, expiresAt } = row ?? {};
  const ended = expiresAt !== undefined && expiresAt <= toEpochSeconds(engine.clock.now());
  return tombstone === true || ended ? undefined : row;
}

async function writeJob(
  engine: Omit<SubmitEngine, 'registry'>,
  prepared: PreparedJob,
  { dedupKey, onDuplicate = 'keep' }: Pick<SubmitRequest, 'dedupKey' | 'onDuplicate'>,
): Promise<Submitted> {
  if (dedupKey !== undefined) return submitUnderKey(engine, prepared, dedupKey, onDuplicate);
  const written = await writeSubmit(engine, prepared.row, prepared.params);
  if (written.kind === 'applied') return { row: written.row, created: true };
  return { row: must(written.found, 'the row that refused'), created: false };
}

function knownKind({ registry }: Pick<SubmitEngine, 'registry'>, name: string): AnyKind {
  const kind = registry.find(name);
  if (kind === undefined) throw new Fault('UNKNOWN_KIND', `Known kinds: ${registry.names().join(', ')}.`);
  return kind;
}
