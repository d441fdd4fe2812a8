import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchInbox } from '../../../functions/support/embedded-inbox.ts';
import { seconds } from '../../../lib/core/time.ts';
import { createInboxDrop } from '../../../lib/ingest/inbox/drop-job.ts';
import type { TakeDeps } from '../../../lib/ingest/inbox/take.ts';
import { createFolderObjects } from '../../../lib/store/folder.ts';
import { createPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

let directory: string;
let world: PipelineWorld;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'millrace-inbox-'));
  world = createPipelineWorld(() => [createInboxDrop({} as TakeDeps)]);
});
afterEach(async () => {
  world[Symbol.dispose]();
  await rm(directory, { recursive: true });
});

function watch() {
  const { clock } = world;
  const objects = createFolderObjects({ directory, baseUrl: 'http://localhost', clock, secret: 's' });
  return watchInbox({ engine: world.engine, objects, directory });
}

async function put(path: string, body: string, age: number): Promise<void> {
  const file = join(directory, 'objects/inbox/acme/main', path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, body);
  const at = (world.clock.now() - age) / 1000;
  await utimes(file, at, at);
}

const jobs = () => world.bells.length;

it('submits a file once as it is, once more when it was written anew, and nothing after a restart', async () => {
  const round = watch();
  await round();
  await put('d/a.csv', 'n\n1\n', 10_000);
  await put('d/odd\\name.csv', 'n\n1\n', 10_000);
  await put('d/a.csv.job_1.problem.json', '{}', 10_000);
  for (let rounds = 0; rounds < 3; rounds++) await round();
  expect(jobs()).toBe(1);
  await put('d/a.csv', 'n\n2\n', 5000);
  await round();
  expect(jobs()).toBe(2);
  // Not even when the rows of the jobs are gone.
  world[Symbol.dispose]();
  world = createPipelineWorld(() => [createInboxDrop({} as TakeDeps)]);
  await watch()();
  expect(jobs()).toBe(0);
});

it('leaves a file alone that may still be written to', async () => {
  const round = watch();
  await put('d/a.csv', 'n\n1', 0);
  await round();
  expect(jobs()).toBe(0);
  await world.clock.advance(seconds(3));
  await round();
  expect(jobs()).toBe(1);
});
