// An operator's hold: the run of a pipeline parks before the stage that is named, or before whichever is next. What a stage committed
// stays; what was parked goes on with the stages that are not committed.
import { Fault } from '../core/fault.ts';
import type { JobRef } from '../core/ids.ts';
import type { Engine } from '../job/engine.ts';
import { type JobRow, refOf } from '../job/row.ts';
import { isTerminal } from '../job/status.ts';
import { type UnparkEngine, unparkFrom } from '../job/waits/unpark.ts';
import { readRow, writeRule } from '../job/write.ts';
import type { PipelineDefinition } from './definition.ts';
import { nextStage, stageAfter } from './position.ts';
import { definitionOf } from './restart.ts';

export const STAGE_HELD = 'stage';
const NEXT = '*';

/** Whether the run parks before this stage. */
export const isHeldBefore = ({ hold }: Pick<JobRow, 'hold'>, stage: string): boolean => hold === NEXT || hold === stage;

type HoldEngine = UnparkEngine & Pick<Engine, 'registry'>;

/** A row that moves on between each read and write, this often, is busier than any job. */
const MOST_TRIES = 10;

/**
 * The run parks before its next stage, or before the one that is named. A stage under way is finished and committed first. Throws Fault
 * NOT_FOUND, CONFLICT (it has ended, or is no pipeline), VALIDATION_FAILED (no such stage, or it is committed), and StoreUnavailable.
 */
export const holdRun = (engine: HoldEngine, ref: JobRef, before?: string): Promise<JobRow> =>
  change(engine, ref, (row, definition) => {
    if (before !== undefined) mustBeAhead(definition, row, before);
    return before ?? NEXT;
  });

/** It goes on, and parks no more. Throws Fault NOT_FOUND, CONFLICT and StoreUnavailable. */
export async function resumeRun(engine: HoldEngine, ref: JobRef): Promise<JobRow> {
  const row = await change(engine, ref, () => undefined);
  return (await unparkFrom(engine, row, STAGE_HELD)) ?? row;
}

/** It runs one stage, and parks before the one after it. Throws Fault NOT_FOUND, CONFLICT (it is not held there) and StoreUnavailable. */
export async function stepRun(engine: HoldEngine, ref: JobRef): Promise<JobRow> {
  const row = await change(engine, ref, (found, definition) => {
    if (found.parked !== STAGE_HELD)
      throw new Fault('CONFLICT', 'The job is not parked before a stage; pause it first.');
    const next = nextStage(definition, found);
    return next && stageAfter(definition, next)?.name;
  });
  return (await unparkFrom(engine, row, STAGE_HELD)) ?? row;
}

async function change(
  engine: HoldEngine,
  ref: JobRef,
  holdOf: (row: JobRow, definition: PipelineDefinition) => string | undefined,
): Promise<JobRow> {
  let row = await readRow(engine, ref);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const definition = mustBePipeline(engine, row);
    if (row === undefined) break;
    const hold = holdOf(row, definition);
    if (hold === row.hold) return row;
    const written = await writeRule(engine, refOf(row), 'hold', { version: row.version, hold });
    if (written.kind === 'applied') return written.row;
    row = written.found;
  }
  throw new Fault('CONFLICT', 'The job moved on each time.');
}

function mustBePipeline({ registry }: HoldEngine, row: JobRow | undefined): PipelineDefinition {
  if (row === undefined) throw new Fault('NOT_FOUND', 'There is no such job.');
  const definition = definitionOf(registry.find(row.kind));
  if (definition === undefined)
    throw new Fault(
      'CONFLICT',
      `Only a pipeline stops between stages, and ${row.kind} is none; pause its flow instead.`,
    );
  if (isTerminal(row.status)) throw new Fault('CONFLICT', `The job is ${row.status}, and has no stage before it.`);
  return definition;
}

function mustBeAhead(definition: PipelineDefinition, row: JobRow, name: string): void {
  const at = definition.stages.findIndex((stage) => stage.name === name);
  const committed = definition.stages.findIndex((stage) => stage.name === row.stage);
  if (at > committed) return;
  const ahead = definition.stages.slice(committed + 1).map((stage) => stage.name);
  const detail = `${at < 0 ? 'There is no such stage' : 'It is committed'}; ahead are: ${ahead.join(', ')}.`;
  throw new Fault('VALIDATION_FAILED', 'The job cannot be held there.', { errors: [{ pointer: '#/before', detail }] });
}
