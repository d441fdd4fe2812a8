import { copyFile } from 'node:fs/promises';
import { isSameEtag, type Objects } from '../core/objects.ts';
import { describeFile, unlessAbsent } from './folder-files.ts';

interface CopyOptions {
  readonly pathOf: (key: string) => string;
  readonly isTaken: (key: string) => Promise<boolean>;
  /** Fills a draft and takes the key with it; what `fill` throws leaves nothing. */
  readonly make: (key: string, fill: (path: string) => Promise<void>) => Promise<'written' | 'exists'>;
}

class Moved extends Error {
  readonly found: 'missing' | 'changed';
  constructor(found: 'missing' | 'changed') {
    super(found);
    this.found = found;
  }
}

/** Copies inside the folder. A file that is not of the store may change at any time, so it is looked at again behind the copy. */
export const createCopy =
  ({ pathOf, isTaken, make }: CopyOptions): Objects['copyOnce'] =>
  async ({ key, etag }, to) => {
    const requireSame = async () => {
      const found = await unlessAbsent(() => describeFile(key, pathOf(key)));
      if (found === undefined) throw new Moved('missing');
      if (!isSameEtag(found.etag, etag)) throw new Moved('changed');
    };
    try {
      if (await isTaken(to)) return 'exists';
      return await make(to, async (draft) => {
        await requireSame();
        await copyFile(pathOf(key), draft);
        await requireSame();
      });
    } catch (thrown) {
      if (thrown instanceof Moved) return thrown.found;
      throw thrown;
    }
  };
