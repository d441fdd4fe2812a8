// What a file of own kinds imports as `millrace`: the one module of lib that only passes on what others define. It loads no adapter and
// no AWS client, so that a kind can be defined, type-checked and tested anywhere.
export type { Epoch, JobId, JobRef } from './core/ids.ts';
export type { Log } from './core/log.ts';
export { fileKey, objectKey, type Objects } from './core/objects.ts';
export { type Clock, days, type DurationMs, type EpochMs, hours, millis, minutes, seconds } from './core/time.ts';
export type { ChildEnd, ChildOptions, WaitOptions } from './job/context/types.ts';
export { WaitTimedOut } from './job/context/wait.ts';
export { cancel, continueFrom, type HandlerAnswer, RetryableError, snooze, TerminalError } from './job/run/outcome.ts';
export { type Followed, type FollowUp, thenSubmit } from './job/waits/owed.ts';
export type { JobContext, JobKind } from './job/registry.ts';
export { createReport, type Report, type ReportLine, type ReportOptions, type ReportSummary } from './job/report.ts';
export type { Pipeline, PipelineDefinition, PipelineOptions, StageOptions } from './pipeline/definition.ts';
export { defineJob, definePipeline, type OwnKind } from './pipeline/own-kinds.ts';
export { defineStage, type Stage, type StageContext } from './pipeline/stage.ts';
