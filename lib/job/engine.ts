// Everything that the protocol needs of the world, in one place; functions and tests compose it.
import type { Chance } from '../core/chance.ts';
import type { Log } from '../core/log.ts';
import type { Objects } from '../core/objects.ts';
import type { Clock } from '../core/time.ts';
import type { Heartbeats } from './heartbeat/heartbeat.ts';
import type { Executions, JobStore, Ringer } from './ports.ts';
import type { Registry } from './registry.ts';
import type { EngineSettings } from './settings.ts';

export interface Engine {
  readonly store: JobStore;
  readonly ringer: Ringer;
  readonly executions: Executions;
  readonly objects: Objects;
  readonly registry: Registry;
  readonly heartbeats: Heartbeats;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly settings: EngineSettings;
  readonly log: Log;
}
