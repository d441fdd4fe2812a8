// Where a finished run of a pipeline can go on: before any stage whose predecessors are all committed, by the outputs that they left.
import { Fault } from '../core/fault.ts';
import type { Engine } from '../job/engine.ts';
import type { RestartPlace } from '../job/dead/redrive.ts';
import type { AnyKind } from '../job/registry.ts';
import { type JobRow, refOf } from '../job/row.ts';
import type { PipelineDefinition } from './definition.ts';
import { loadOutput } from './stage-output.ts';

/** The definition of a pipeline's kind; undefined for any other kind. */
export const definitionOf = (kind: AnyKind | undefined): PipelineDefinition | undefined =>
  kind?.type === 'pipeline' && 'stages' in kind ? (kind as PipelineDefinition) : undefined;

/** Throws Fault VALIDATION_FAILED (no such stage, or one before it is not committed), INPUT_UNREADABLE, and StoreUnavailable. */
export async function restartPlace(
  stores: Pick<Engine, 'store' | 'objects'>,
  { kind, stages }: PipelineDefinition,
  row: JobRow,
  from: string,
): Promise<RestartPlace> {
  const names = stages.map(({ name }) => name);
  const at = names.indexOf(from);
  if (at < 0) throw refused(`${kind} has the stages ${names.join(', ')}.`);
  const stage = names[at - 1];
  if (stage === undefined) return {};
  if (row.stage === undefined || row.stageOutput === undefined) throw refused('No stage is committed.');
  if (row.stage === stage) return { stage, stageOutput: row.stageOutput };
  const { earlier } = await loadOutput(stores, refOf(row), row.stageOutput);
  const stageOutput = Object.hasOwn(earlier, stage) ? earlier[stage] : undefined;
  if (stageOutput === undefined)
    throw refused(`The stage before it, ${stage}, is not committed; the last is ${row.stage}.`);
  return { stage, stageOutput };
}

const refused = (detail: string): Fault =>
  new Fault('VALIDATION_FAILED', 'The run cannot begin at that stage.', {
    errors: [{ pointer: '#/fromStage', detail }],
  });
