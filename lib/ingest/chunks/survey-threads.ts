// Threads that survey chunks, kept for the next text: a start takes some 50 ms of processor. A thread that dies has found nothing.
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { defaultReadLimits } from '../reading/types.ts';
import type { Surveyed, ToSurvey, Watching } from './survey-chunk.ts';

/** What a thread is given. */
export interface ThreadOrder {
  readonly of: ToSurvey;
  readonly port: MessagePort;
}

/** What a thread is told meanwhile: how many bytes its file has, or that nobody waits for it any more. */
export type ThreadNews = { readonly say: 'arrived'; readonly bytes: number } | { readonly say: 'stop' };

/** What a thread answers: that it waits for so many bytes; in the end, what it found. */
export type ThreadAnswer =
  | { readonly tell: 'waits'; readonly bytes: number }
  | { readonly tell: 'found'; readonly surveyed: Surveyed | undefined };

export interface SurveyThread {
  /** Undefined where the chunk cannot be surveyed so, for whatever reason. */
  readonly survey: (of: ToSurvey, watching: Omit<Watching, 'took'>) => Promise<Surveyed | undefined>;
  readonly release: () => void;
}

export interface SurveyThreads extends AsyncDisposable {
  /** One that is free; undefined where all are at work. */
  readonly take: () => SurveyThread | undefined;
}

interface ThreadsOptions {
  /** Of survey-thread.ts, or of its bundle. */
  readonly entry: URL;
  /** Threads at a time; one fewer than the chunks that are worked on at once, since the caller's own thread has one of them. */
  readonly most?: number;
}

/** MiB of a thread's heap; what it reads lies beside that. */
const HEAP_MB = 128;

/** At most so many at a time. They end with the process, and do not keep it. */
export function createSurveyThreads({
  entry,
  most = defaultReadLimits.chunksAtOnce - 1,
}: ThreadsOptions): SurveyThreads {
  const alive = new Set<Worker>();
  const free: Worker[] = [];
  const start = (): Worker | undefined => {
    if (alive.size >= most) return undefined;
    const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    worker.unref();
    alive.add(worker);
    // Whoever waits for it hears that it is gone.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      alive.delete(worker);
      if (free.includes(worker)) free.splice(free.indexOf(worker), 1);
    });
    return worker;
  };
  return {
    take: () => {
      const worker = free.pop() ?? start();
      return (
        worker && {
          survey: (of, watching) => surveyIn(worker, of, watching),
          release: () => {
            if (alive.has(worker)) free.push(worker);
          },
        }
      );
    },
    [Symbol.asyncDispose]: async () => {
      for (const worker of alive) await worker.terminate();
    },
  };
}

/** Waits for the thread's last word, also where nobody wants it any more: only then is it free. */
function surveyIn(
  worker: Worker,
  of: ToSurvey,
  { signal, arrived }: Omit<Watching, 'took'>,
): Promise<Surveyed | undefined> {
  const { port1, port2 } = new MessageChannel();
  const tell = (news: ThreadNews): void => port1.postMessage(news);
  const stop = (): void => tell({ say: 'stop' });
  const hear = (answer: ThreadAnswer, end: (surveyed: Surveyed | undefined) => void): void => {
    if (answer.tell === 'found') return end(answer.surveyed);
    void arrived(answer.bytes).then((bytes) => tell({ say: 'arrived', bytes }), stop);
  };
  return new Promise((resolve) => {
    const gone = (): void => end(undefined);
    const end = (surveyed: Surveyed | undefined): void => {
      worker.off('exit', gone);
      signal.removeEventListener('abort', stop);
      port1.close();
      resolve(surveyed);
    };
    worker.once('exit', gone);
    signal.addEventListener('abort', stop);
    port1.on('message', (answer: ThreadAnswer) => hear(answer, end));
    worker.postMessage({ of, port: port2 } satisfies ThreadOrder, [port2]);
    if (signal.aborted) stop();
  });
}
