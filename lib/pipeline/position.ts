// Where a run is: the row names the last committed stage, and the definition says what follows.
import { Fault } from '../core/fault.ts';
import type { JobRow } from '../job/row.ts';
import type { PipelineDefinition } from './definition.ts';
import type { Stage } from './stage.ts';

/** The stages of a step that are not committed, in order; the Fault STAGE_UNKNOWN where the deployed definition lacks what is named. */
export function uncommittedOf(
  definition: PipelineDefinition,
  stepName: string,
  row: Pick<JobRow, 'stage'>,
): readonly Stage[] | Fault {
  const step = definition.steps.find((each) => each.name === stepName);
  if (step === undefined) return unknown(definition, stepName);
  const last = definition.stages.findIndex((stage) => stage.name === row.stage);
  if (last < 0 && row.stage !== undefined) return unknown(definition, row.stage);
  return step.stages.filter((stage) => definition.stages.indexOf(stage) > last);
}

/** The stage before this one; undefined for the first. */
export const stageBefore = (definition: PipelineDefinition, stage: Stage): Stage | undefined =>
  definition.stages[definition.stages.indexOf(stage) - 1];

/** The stage after this one; undefined for the last. */
export const stageAfter = (definition: PipelineDefinition, stage: Stage): Stage | undefined =>
  definition.stages[definition.stages.indexOf(stage) + 1];

/** The first stage that is not committed; undefined where the definition lacks what the row names, or all are. */
export function nextStage(definition: PipelineDefinition, row: Pick<JobRow, 'stage'>): Stage | undefined {
  const last = definition.stages.findIndex((stage) => stage.name === row.stage);
  return last < 0 && row.stage !== undefined ? undefined : definition.stages[last + 1];
}

export const isLastStage = (definition: PipelineDefinition, stage: Stage): boolean =>
  definition.stages.at(-1) === stage;

const unknown = ({ kind, version, stages }: PipelineDefinition, name: string): Fault => {
  const known = stages.map((stage) => stage.name).join(', ');
  return new Fault(
    'STAGE_UNKNOWN',
    `${kind} has no stage ${name} in its deployed version ${version} (it has ${known}). Submit the job anew to start from the beginning.`,
  );
};
