// Heartbeats in a worker thread with a store client of its own: a handler that blocks its event loop keeps its lease, and one whose main
// thread has answered no ping for `stallAfter` loses it. The main thread still aborts by its own monotonic clock.
import { MessageChannel, type MessagePort, parentPort, receiveMessageOnPort, Worker, workerData } from 'node:worker_threads';
import type { Log } from '../core/log.ts';
import { type Clock, millis, systemClock } from '../core/time.ts';
import { must } from '../core/check.ts';
import type { Claim } from './claim.ts';
import {
  createHeartbeats,
  deliverCancel,
  type Heartbeat,
  type Heartbeats,
  lose,
  newPulse,
  type Pulse,
  TAKEN,
  UNRENEWED,
} from './heartbeat.ts';
import type { JobStore } from './ports.ts';
import type { JobRow, Progress } from './row.ts';
import type { EngineSettings } from './settings.ts';
