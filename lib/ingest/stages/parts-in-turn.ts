// How the parts of tables that are combined come to the disk of one invocation: all of them stay there where they fit, else some are there at a
// time, and fetched again by whoever reads them once more.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../../core/check.ts';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Keep, LocalPart, Part, SomeAtATime } from '../combine/side.ts';
import { localCopy, requireDisk } from './place.ts';
import { bytesIn } from './some-parts.ts';

interface Fetching {
  readonly objects: Objects;
  /** Of the parts that are on the disk at a time; one that has more is there alone. */
  readonly bytes: number;
  /** That are read. */
  readonly all: readonly Part[];
  /** The name of an existing folder in the step's. */
  readonly folder: string;
  readonly keep: Keep;
}

/** What is written of a part has about its size, and lies beside it. */
const WITH_COPY = 2;

/** Whether parts do not fit on the disk at once. */
export const comeInTurn = (all: readonly Part[], bytes: number): boolean => bytesIn(all) > bytes;

/** Faults: INPUT_UNREADABLE; INGEST_DISK, before anything is fetched, where a part is too large for the disk. */
export function partsInTurn(ctx: StageContext, { objects, bytes, all, folder, keep }: Fetching): SomeAtATime {
  const stay = !comeInTurn(all, bytes);
  const places = new Map(all.map(({ key }, place) => [key, place]));
  const fetch = async (part: Part): Promise<LocalPart> => {
    const name = join(folder, `${must(places.get(part.key), 'a part that is read')}.parquet`);
    return { ...part, path: await localCopy(ctx, objects, part.key, name) };
  };
  return async (parts, use, name) => {
    const largest = Math.max(0, ...parts.map((part) => part.bytes));
    if (largest > bytes) await requireDisk(ctx, WITH_COPY * largest);
    const answers = [];
    let done = 0;
    for (const [at, [first, ...others]] of runsOf(parts, bytes).entries()) {
      const fetchAndUse = async () => {
        const some: [LocalPart, ...LocalPart[]] = [await fetch(first)];
        for (const part of others) some.push(await fetch(part));
        const answer = await use(some);
        ctx.signal.throwIfAborted();
        if (!stay) await Promise.all(some.map(({ path }) => rm(path, { force: true })));
        return answer;
      };
      answers.push(await (name === undefined ? fetchAndUse() : keep(`${name} ${at}`, fetchAndUse)));
      done += 1 + others.length;
      ctx.progress(done, parts.length, 'combine');
    }
    return answers;
  };
}

type Run = [Part, ...Part[]];

/** Parts that follow each other, as many together as have no more than so many bytes. */
function runsOf(parts: readonly Part[], bytes: number): Run[] {
  const runs: Run[] = [];
  let room = 0;
  for (const part of parts) {
    const last = runs.at(-1);
    if (last === undefined || part.bytes > room) {
      runs.push([part]);
      room = bytes - part.bytes;
    } else {
      last.push(part);
      room -= part.bytes;
    }
  }
  return runs;
}
