// What a handler is given of the world, alike for jobs and for the stages of pipelines.
import type { Log } from '../../core/log.ts';
import type { Engine } from '../engine.ts';
import { objectPrefixOf } from '../payload.ts';
import type { JobContext } from '../registry.ts';
import { type JobRow, refOf } from '../row.ts';
import { createChildren } from './children.ts';
import type { Parking } from './interrupt.ts';
import { createSteps } from './step.ts';
import { waitFor } from './wait.ts';

export interface ContextParts extends Pick<JobContext, 'signal' | 'progress' | 'checkpoint'> {
  readonly engine: Engine;
  /** As this run found it. */
  readonly row: JobRow;
  readonly parking: Parking;
  readonly stage?: string | undefined;
}

export function createContext({ engine, row, parking, stage, ...given }: ContextParts): JobContext {
  const { signal } = given;
  const ref = refOf(row);
  const attempt = row.attempts + 1;
  const steps = createSteps(engine, row, signal, stage);
  const children = createChildren({ engine, row, parking, signal, stage });
  return {
    ref,
    epoch: row.epoch,
    attempt,
    log: boundLog(engine.log, { job: row.id, epoch: row.epoch, attempt, ...(stage !== undefined && { stage }) }),
    clock: engine.clock,
    objects: engine.objects,
    objectPrefix: objectPrefixOf(ref, row.epoch),
    cursor: row.cursor === undefined ? undefined : (JSON.parse(row.cursor) as unknown),
    correlationId: row.correlationId,
    step: (name, work) => steps.run(name, work),
    waitFor: <T>(name: string, options?: Parameters<JobContext['waitFor']>[1]) =>
      waitFor({ engine, row, parking, steps, signal }, name, options) as Promise<T>,
    submit: (kind, input, options) => children.submit(kind, input, options),
    waitForChildren: () => children.waitForAll(),
    ...given,
  };
}

/** Each line says which run it is of, whatever its own fields are. */
function boundLog(log: Log, run: Readonly<Record<string, unknown>>): Log {
  return {
    info: (message, fields) => log.info(message, { ...fields, ...run }),
    warn: (message, fields) => log.warn(message, { ...fields, ...run }),
    error: (message, fields) => log.error(message, { ...fields, ...run }),
  };
}
