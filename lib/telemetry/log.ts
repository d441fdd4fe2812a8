// The log of the deployed functions: JSON lines by Powertools, with the function's name and request id on each.
import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import type { Log } from '../core/log.ts';

export interface FunctionLog extends Log {
  /** Puts the invocation's request id on every line that follows. */
  begin(context: Context): void;
}

/** Level and service name come from POWERTOOLS_LOG_LEVEL and `service`. */
export function createLog(service: string): FunctionLog {
  const logger = new Logger({ serviceName: service });
  return {
    begin: (context) => logger.addContext(context),
    info: (message, fields = {}) => logger.info(message, readable(fields)),
    warn: (message, fields = {}) => logger.warn(message, readable(fields)),
    error: (message, fields = {}) => logger.error(message, readable(fields)),
  };
}

/** Powertools formats an Error only under the name `error`; whatever else was thrown there becomes its text. */
function readable(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { error, ...others } = fields;
  if (error === undefined) return others;
  return { ...others, error: error instanceof Error ? error : { message: text(error) } };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
