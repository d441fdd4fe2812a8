// The inbox of the embedded process: a folder that is looked through, where S3 would tell of what is put there.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ListedObject } from '../../lib/core/objects.ts';
import { between, seconds } from '../../lib/core/time.ts';
import { dropAt } from '../../lib/ingest/inbox/place.ts';
import { submitDrop } from '../../lib/ingest/inbox/submit-drop.ts';
import { unlessAbsent } from '../../lib/store/folder-files.ts';
import type { EmbeddedWorld } from './embedded-world.ts';

/** For so long a file has to be as it is: a younger one may still be written to. */
const SETTLED = seconds(2);

type Watched = Pick<EmbeddedWorld, 'directory' | 'objects'> & {
  readonly engine: Parameters<typeof submitDrop>[0];
};

/** A round of it: submits the job of each file that it has not seen as it is. Rows of jobs go in time, so what was seen is kept in a file. */
export function watchInbox({ engine, objects, directory }: Watched): () => Promise<boolean> {
  const path = join(directory, 'inbox.json');
  let seen: ReadonlyMap<string, string> | undefined;
  return async () => {
    seen ??= await readSeen(path);
    const now = new Map<string, string>();
    for await (const { key, etag, writtenAt } of everyObject(objects)) {
      const drop = dropAt(key);
      if (drop === undefined || between(writtenAt, engine.clock.now()) < SETTLED) continue;
      now.set(key, etag);
      if (seen.get(key) === etag) continue;
      await submitDrop(engine, drop, { etag, sequencer: writtenAt.toString(16).padStart(16, '0') });
    }
    const isSame = now.size === seen.size && [...now].every(([key, etag]) => seen?.get(key) === etag);
    if (!isSame) await writeSeen(path, now);
    seen = now;
    return false;
  };
}

async function* everyObject(objects: Pick<EmbeddedWorld['objects'], 'list'>): AsyncGenerator<ListedObject> {
  for (let after: string | undefined; ; ) {
    const page = await objects.list('inbox/', after);
    yield* page.objects;
    if (page.after === undefined) return;
    after = page.after;
  }
}

async function readSeen(path: string): Promise<ReadonlyMap<string, string>> {
  const text = await unlessAbsent(() => readFile(path, 'utf8'));
  return new Map(text === undefined ? [] : Object.entries(JSON.parse(text) as Record<string, string>));
}

/** Whole or not at all. */
async function writeSeen(path: string, seen: ReadonlyMap<string, string>): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(Object.fromEntries(seen)));
  await rename(`${path}.new`, path);
}
