// An HTTP app behind the gateway.
// The package that hono names as the successor is not published, so its own adapter is used until then.
/* eslint-disable @typescript-eslint/no-deprecated */
import type { Hono } from 'hono';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import type { FunctionLog } from '../../lib/telemetry/log.ts';
import { defineHandler } from './handler.ts';
import { fitted } from './http-answer.ts';

/** Answers events of an HTTP API (payload format 2.0). */
export function defineHttpHandler(log: FunctionLog, app: Pick<Hono, 'fetch'>) {
  const respond = handle(app as Hono);
  return defineHandler(log, async (event: LambdaEvent) => fitted(await respond(event)));
}
