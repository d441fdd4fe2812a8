import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beginFetch } from '../../../../lib/ingest/chunks/arriving.ts';
import { createMemoryObjects } from '../../../support/memory-objects.ts';
import { inFolder } from '../world.ts';

/** Six bytes, of which three are there at once, and the others, or `fails`, when the gate opens. */
function slowly(fails?: Error) {
  const gate = Promise.withResolvers<undefined>();
  const objects = createMemoryObjects();
  const heard: (AbortSignal | undefined)[] = [];
  objects.readInto = async (_key, file, { signal, wrote }) => {
    heard.push(signal);
    signal?.addEventListener('abort', () => gate.reject(signal.reason));
    for (const bytes of ['abc', 'def']) {
      await file.write(bytes);
      wrote?.(bytes.length);
      await gate.promise;
      if (fails !== undefined) throw fails;
    }
    return true;
  };
  const plain = { pieces: [{ key: 'k', bytes: 6 }], start: 0, size: 6 };
  const fetching = { objects, plain, signal: new AbortController().signal };
  return { gate, heard, begin: (path: string) => beginFetch(fetching, { start: 0, end: 6 }, path) };
}

describe('a stretch that arrives', () => {
  it('is read up to what is there, and to its end once there is no more', () =>
    inFolder(async (folder) => {
      const { gate, begin } = slowly();
      const path = join(folder, 'chunk');
      await using arriving = await begin(path);
      await arriving.upTo(3);
      expect(await readFile(path, 'utf8')).toBe('abc');
      let there = false;
      const more = arriving.upTo(4).then(() => {
        there = true;
      });
      await new Promise(setImmediate);
      expect(there).toBe(false);
      gate.resolve(undefined);
      await more;
      await arriving.upTo(100);
      expect(await readFile(path, 'utf8')).toBe('abcdef');
    }));

  it('fails for whoever waits for what does not arrive', () =>
    inFolder(async (folder) => {
      const { gate, begin } = slowly(new Error('gone'));
      await using arriving = await begin(join(folder, 'chunk'));
      const waiting = arriving.upTo(6);
      gate.resolve(undefined);
      await expect(waiting).rejects.toThrow('gone');
      await expect(arriving.upTo(6)).rejects.toThrow('gone');
    }));

  it('is fetched no further once nobody reads it', () =>
    inFolder(async (folder) => {
      const { heard, begin } = slowly();
      const arriving = await begin(join(folder, 'chunk'));
      await arriving.upTo(1);
      await arriving[Symbol.asyncDispose]();
      expect(heard.map((signal) => signal?.aborted)).toEqual([true]);
    }));
});
