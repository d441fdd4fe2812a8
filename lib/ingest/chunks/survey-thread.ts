// A thread that surveys chunks, one at a time: a file of its own, which imports as little as that takes, since it is read when it starts.
import { type MessagePort, parentPort } from 'node:worker_threads';
import { surveyChunk } from './survey-chunk.ts';
import type { ThreadAnswer, ThreadNews, ThreadOrder } from './survey-threads.ts';

/** Hears how much of a file there is. */
function listen(port: MessagePort) {
  const stopped = new AbortController();
  let there = 0;
  let heard = Promise.withResolvers<undefined>();
  port.on('message', (news: ThreadNews) => {
    if (news.say === 'stop') stopped.abort();
    else there = news.bytes;
    heard.resolve(undefined);
    heard = Promise.withResolvers();
  });
  const arrived = async (bytes: number): Promise<number> => {
    while (there < bytes) {
      stopped.signal.throwIfAborted();
      port.postMessage({ tell: 'waits', bytes } satisfies ThreadAnswer);
      await heard.promise;
    }
    return there;
  };
  return { signal: stopped.signal, arrived };
}

async function work({ of, port }: ThreadOrder): Promise<void> {
  // What is wrong with the chunk is found again, and refused, when it is read in its turn.
  const surveyed = await surveyChunk(of, listen(port)).catch(() => undefined);
  port.postMessage({ tell: 'found', surveyed } satisfies ThreadAnswer);
  port.close();
}

parentPort?.on('message', (order: ThreadOrder) => void work(order));
