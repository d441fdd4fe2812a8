import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What comes out of `decoder` when `source` goes in; both end when the reader stops early, and their errors reach it. */
export async function* through(source: Readable, decoder: Transform): AsyncGenerator<Buffer> {
  const fed = pipeline(source, decoder);
  fed.catch(() => undefined);
  yield* decoder as AsyncIterable<Buffer>;
  await fed;
}
