// The engine of the two functions that run handlers: everything that the protocol needs, over the clients of world.ts.
import { kinds as own } from '#own-kinds';
import type { Environment } from '../../lib/config/environment.ts';
import type { Log } from '../../lib/core/log.ts';
import type { IngestDeps } from '../../lib/ingest/pipeline.ts';
import type { Engine } from '../../lib/job/engine.ts';
import { openDescriber } from './describer.ts';
import { openEmbedder } from './embedder.ts';
import { createKinds, type Kinds } from './kinds.ts';
import { basics, openExecutions, openHeartbeats, openObjects, openRinger, openStore } from './world.ts';

export interface Workbench {
  readonly engine: Engine;
  readonly pipelines: Kinds['pipelines'];
}

type Place = Omit<Environment<'stage'>, 'DESCRIBER'> &
  Partial<Pick<Environment<'stage'>, 'DESCRIBER'> & Pick<Environment<'worker'>, 'EMBEDDER'>>;

/** `machines` where the function starts executions; `more` where stages run. */
export function openWorkbench(
  environment: Place,
  log: Log,
  machines = {},
  more: (parts: Pick<IngestDeps, 'catalog' | 'documents' | 'objects'>) => Partial<IngestDeps> = () => ({}),
): Workbench {
  const store = openStore(environment);
  const objects = openObjects(environment);
  const deps = {
    catalog: store,
    documents: store,
    jobs: store,
    objects,
    workspaceBytes: environment.WORKSPACE_BYTES || undefined,
    describer: openDescriber(environment.DESCRIBER),
    embedder: openEmbedder(environment.EMBEDDER),
  };
  const { registry, pipelines } = createKinds({ ...deps, ...more(deps) }, own, () => engine);
  const engine: Engine = {
    ...basics(log, environment),
    store,
    objects,
    registry,
    ringer: openRinger(environment),
    executions: openExecutions({ STATE_MACHINES: machines }),
    heartbeats: openHeartbeats(environment, log),
  };
  return { engine, pipelines };
}
