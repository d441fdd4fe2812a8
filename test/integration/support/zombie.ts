// A claimant that hangs in the middle of a stage, outlives its lease, and wakes when everything is over.
import type { Claim } from '../../../lib/job/claim.ts';
import { seconds } from '../../../lib/core/time.ts';
import { createWorker } from '../../../lib/job/run/worker.ts';
import type { Heartbeats } from '../../../lib/job/heartbeat/heartbeat.ts';
import { must } from '../../../lib/core/check.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { ingestSubmission } from '../../../lib/http/ingest-file.ts';
import type { FileRecord } from '../../../lib/ingest/catalog.ts';
import { runStep } from '../../../lib/pipeline/stage-runner.ts';
import { createGate } from '../../support/pipeline-world.ts';
import type { Cloud } from './cloud.ts';
import { ownEngine, submitUnheard } from './engine.ts';

export interface Zombie {
  /** As the begin of its stage left the job, but for what was committed since. */
  readonly claim: Claim;
  /** Lets it go on; answers what its stage came to. */
  wake(): Promise<string>;
}

/** Neither renews nor notices anything. */
const deaf: Heartbeats = {
  start: () => ({
    signal: new AbortController().signal,
    lost: false,
    cancelReason: undefined,
    progress: () => undefined,
    nextPart: () => undefined,
    stop: async () => undefined,
  }),
};

/** Long enough to come as far as the upload on a busy machine. */
const settings = { ...engineDefaults, lease: seconds(30) };

/** Ingests a file in this process until the part that `parse` made is about to be uploaded, and hangs there. */
export async function hangInParse(cloud: Cloud, file: FileRecord): Promise<Zombie> {
  const [arrived, woken] = [createGate(), createGate()];
  const moveFileOnce: Cloud['objects']['moveFileOnce'] = async (key, path) => {
    arrived.open();
    await woken.passed;
    return cloud.objects.moveFileOnce(key, path);
  };
  const engine = ownEngine(cloud, { objects: { ...cloud.objects, moveFileOnce }, heartbeats: deaf, settings });
  const { kind, input, id } = ingestSubmission(file, {});
  const heard = await createWorker(engine).hear(await submitUnheard(engine, kind, input, { id }));
  if (heard.kind !== 'started') throw new Error(`The doorbell led to ${heard.kind}.`);
  const { ref, epoch } = heard.claim;
  const step = must(engine.ingest.steps[0], 'a first step').name;
  const end = runStep(engine, engine.ingest, { bell: { ref, epoch }, step }).then(
    () => 'committed',
    (thrown: unknown) => String(thrown instanceof Error ? thrown.message : thrown),
  );
  await Promise.race([arrived.passed, end.then((how) => Promise.reject(new Error(`It did not hang: ${how}`)))]);
  const row = await cloud.row(ref.id);
  const wake = () => {
    woken.open();
    return end;
  };
  return { claim: { ref, epoch, owner: must(row.leaseOwner, 'an owner'), row }, wake };
}
