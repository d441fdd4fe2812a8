// What every function does around its own work, composed once: the request id on each line of the log, and a line for what it throws.
import middy, { type MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import { asError } from '../../lib/core/check.ts';
import { type DurationMs, seconds } from '../../lib/core/time.ts';
import type { FunctionLog } from '../../lib/telemetry/log.ts';

const logged = (log: FunctionLog): MiddlewareObj => ({
  before: ({ context }) => log.begin(context),
  onError: ({ error }) => log.error('The invocation failed.', { error: asError(error) }),
});

/** A handler that logs; what `work` throws reaches Lambda as it is. */
export const defineHandler = <Event, Result>(
  log: FunctionLog,
  work: (event: Event, context: Context) => Promise<Result>,
) => middy<Event, Result>({ timeoutEarlyInMillis: 0 }).use(logged(log)).handler(work);

/** Enough to stop a handler, to settle, and to send the settle again. */
const margin = seconds(20);

/** Aborts when the invocation has just `before` left. */
export const beforeTheEnd = (context: Context, before: DurationMs = margin): AbortSignal =>
  AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - before));
