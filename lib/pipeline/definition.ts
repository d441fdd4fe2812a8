// A pipeline is typed stages in order: it type-checks only if each stage's output is the next one's input. Infra builds a state machine
// out of the definition, the interpreter runs it in-process, and the stage runner finds in it what is next.
import type * as z from 'zod';
import { checkKind } from '../job/kind-check.ts';
import type { KindOptions } from '../job/registry.ts';
import type { Stage } from './stage.ts';

/** Stages that run in one invocation, each with a checkpoint of its own. */
export interface Step {
  /** The names of its stages, joined by `+`. */
  readonly name: string;
  readonly stages: readonly Stage[];
}

export interface PipelineOptions<In> extends KindOptions<In> {
  /** What a job of this kind is submitted with. */
  readonly input: z.ZodType<In>;
  /** Kept in each row; raise it when the meaning of a stage's output changes. */
  readonly version: string;
}

export interface PipelineDefinition extends PipelineOptions<unknown> {
  readonly type: 'pipeline';
  readonly kind: string;
  readonly steps: readonly Step[];
  /** In order. */
  readonly stages: readonly Stage[];
}

export interface StageOptions {
  /** Runs in the invocation of the stage before it: for short neighbours, since executions are billed by transition. */
  readonly sharesStep?: true;
}

/** A pipeline whose last stage returns `Value`. */
export interface Pipeline<Value> extends PipelineDefinition {
  stage<Out>(stage: Stage<Value, Out>, options?: StageOptions): Pipeline<Out>;
}

/**
 * Starts a pipeline of this kind, e.g. `pipeline('ingest', { input, version: '1' }).stage(receive).stage(parse)`. Throws a TypeError for
 * options that nothing could run.
 */
export function pipeline<In>(kind: string, options: PipelineOptions<In>): Pick<Pipeline<In>, 'stage'> {
  checkKind({ ...options, kind });
  const empty: PipelineDefinition = { ...options, type: 'pipeline', kind, steps: [], stages: [] };
  return { stage: (stage, stageOptions) => extend(empty, stage, stageOptions) };
}

function extend<Out>(definition: PipelineDefinition, stage: Stage, options: StageOptions = {}): Pipeline<Out> {
  if (!/^[a-z][a-z0-9-]{0,29}$/.test(stage.name)) throw new TypeError(`not a stage name: ${stage.name}`);
  if (definition.stages.some((each) => each.name === stage.name))
    throw new TypeError(`${definition.kind} has two stages named ${stage.name}`);
  const last = definition.steps.at(-1);
  const shared = options.sharesStep === true ? last : undefined;
  const steps = shared ? definition.steps.slice(0, -1) : definition.steps;
  const extended: PipelineDefinition = {
    ...definition,
    steps: [...steps, stepOf([...(shared?.stages ?? []), stage])],
    stages: [...definition.stages, stage],
  };
  return { ...extended, stage: (next, nextOptions) => extend(extended, next, nextOptions) };
}

const stepOf = (stages: readonly Stage[]): Step => ({ name: stages.map((stage) => stage.name).join('+'), stages });
