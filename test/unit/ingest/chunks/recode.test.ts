// A large text in another encoding is written out in pieces that are, put together, what it is when it is decoded at once.
import { writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../lib/core/fault.ts';
import { recodeText } from '../../../../lib/ingest/chunks/recode.ts';
import { textHash } from '../../../../lib/ingest/chunks/text-hash.ts';
import { encodingAsSaid } from '../../../../lib/ingest/formats/encoding/detect.ts';
import { type EncodingName, encodingNames } from '../../../../lib/ingest/formats/encoding/encodings.ts';
import { plainText } from '../../../../lib/ingest/formats/plain.ts';
import { createMemoryObjects } from '../../../support/memory-objects.ts';
import { charactersOf, encode } from '../formats/encoder.ts';
import { inFolder } from '../world.ts';
import { blockHash } from './block-hash.ts';

const others = encodingNames.filter((name) => name !== 'utf-8');

interface Cutting {
  /** Bytes of the text that become a piece, and of what comes at a time. */
  readonly pieceBytes: number;
  readonly atOnce: number;
  /** Of the hash. */
  readonly blockBytes: number;
  /** Pieces that are kept when the first run dies. */
  readonly dies: number;
}

/** What a job that is run again, and then once more when all pieces are kept, comes to. */
async function inPieces(content: Buffer, name: EncodingName, { pieceBytes, atOnce, blockBytes, dies }: Cutting) {
  return inFolder(async (workDir) => {
    const objects = createMemoryObjects();
    const kept = new Map<string, string>();
    let [made, mayDie] = [0, true];
    const step = async <T>(key: string, work: () => Promise<T> | T): Promise<T> => {
      if (mayDie && made === dies) throw new Error('killed');
      if (!kept.has(key)) kept.set(key, JSON.stringify((made++, await work())));
      return JSON.parse(kept.get(key) ?? '') as T;
    };
    async function* bytes(start = 0, end = content.length) {
      for (let at = start; at < end; at += atOnce) yield content.subarray(at, Math.min(end, at + atOnce));
    }
    const recoding = {
      ...{ objects, bytes, size: content.length, encoding: encodingAsSaid(content, name), pieceBytes, step, workDir },
      ...{
        progress: () => undefined,
        keyOf: (piece: number) => `piece-${piece}`,
        signal: new AbortController().signal,
      },
    };
    const run = () => recodeText({ ...recoding, hash: textHash(blockBytes) });
    const first = await run().catch((thrown: unknown) => {
      if (thrown instanceof Error && thrown.message === 'killed') return undefined;
      throw thrown;
    });
    mayDie = false;
    const second = await run();
    if (first !== undefined) expect(second).toEqual(first);
    const { plain, sha256 } = await run();
    expect(sha256).toBe(second.sha256);
    expect(made).toBe(plain.pieces.length);
    const pieces = await Promise.all(plain.pieces.map(({ key }) => objects.get(key)));
    expect(pieces.map((piece) => piece?.length)).toEqual(plain.pieces.map((piece) => piece.bytes));
    return { text: Buffer.concat(pieces.map((piece) => piece ?? Buffer.of())).toString(), plain, sha256 };
  });
}

const atOnce = (content: Buffer, encoding: EncodingName) =>
  inFolder(async (workDir) => {
    const path = join(workDir, 'upload');
    await writeFile(path, content);
    const { path: plain, start } = await plainText(path, workDir, { encoding });
    return (await readFile(plain)).subarray(start).toString();
  });

const outcome = (work: Promise<unknown>) =>
  work.catch((thrown: unknown) => {
    if (!(thrown instanceof Fault)) throw thrown;
    return { code: thrown.code, detail: thrown.detail, extra: thrown.extra };
  });

const cuttings = fc.record({
  pieceBytes: fc.integer({ min: 1, max: 40 }),
  atOnce: fc.integer({ min: 1, max: 50 }),
  blockBytes: fc.constantFrom(8, 16, Infinity),
  dies: fc.nat(4),
});

describe('a text written out in pieces', () => {
  it.each(others)('comes back character by character from %s', async (name) => {
    await fc.assert(
      fc.asyncProperty(charactersOf(name), cuttings, async (characters, cutting) => {
        const text = `x${characters.toWellFormed()}`;
        const content = encode(text, name);
        const { text: found, sha256 } = await inPieces(content, name, cutting);
        expect(found).toBe(text);
        expect(sha256).toBe(blockHash(content, cutting.blockBytes));
      }),
      { numRuns: 40 },
    );
  });

  it.each(['utf-16le', 'utf-16be'] as const)('is without its byte order mark (%s)', async (name) => {
    const { text, plain } = await inPieces(encode('\ufeffa😀,b\n1,é\n', name), name, {
      ...{ pieceBytes: 1, atOnce: 5, blockBytes: 8, dies: 2 },
    });
    expect(text).toBe('a😀,b\n1,é\n');
    expect(plain.pieces.length).toBeGreaterThan(3);
  });

  it.each(others)('is refused where it would be when it is decoded at once, in %s', async (name) => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(charactersOf(name), bytes, cuttings, async (characters, odd, cutting) => {
        const content = Buffer.concat([encode(`x\n${characters.toWellFormed()}\n`, name), odd]);
        const pieces = await outcome(inPieces(content, name, cutting).then(({ text }) => text));
        expect(pieces).toEqual(await outcome(atOnce(content, name)));
      }),
      { numRuns: 40 },
    );
  });
});
