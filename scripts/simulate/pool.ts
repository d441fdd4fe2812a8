// Tasks over worker threads: one task at a time each, until none is left.
import { Worker } from 'node:worker_threads';

export interface Pool<Task, Answer> {
  /** The module of the worker: it answers each message with one. */
  readonly file: URL;
  readonly threads: number;
  /** A thread gives way to a fresh one after so many; default: never. */
  readonly tasksPerThread?: number;
  readonly tasks: Iterable<Task>;
  /** Told of each answer as it comes; false: hand out no more tasks. */
  readonly answered: (answer: Answer, task: Task) => boolean;
}

/** Resolves when every task that was handed out is answered. Throws what a worker threw. */
export async function runPool<Task, Answer>(pool: Pool<Task, Answer>): Promise<void> {
  const { file, threads, tasks, tasksPerThread = Infinity, answered } = pool;
  const left = tasks[Symbol.iterator]();
  let open = true;
  /** Whether there may be more to do. */
  const runThread = async (): Promise<boolean> => {
    const worker = new Worker(file);
    try {
      for (let done = 0; open && done < tasksPerThread; done++) {
        const next = left.next();
        if (next.done === true) return false;
        const answer = await ask<Answer>(worker, next.value);
        if (!answered(answer, next.value)) open = false;
      }
      return open;
    } finally {
      await worker.terminate();
    }
  };
  const runThreads = async (): Promise<void> => {
    while (await runThread());
  };
  await Promise.all(Array.from({ length: threads }, runThreads));
}

function ask<Answer>(worker: Worker, task: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const quiet = () => {
      worker.off('message', heard);
      worker.off('error', failed);
    };
    const heard = (answer: Answer) => {
      quiet();
      resolve(answer);
    };
    const failed = (error: Error) => {
      quiet();
      reject(error);
    };
    worker.on('message', heard);
    worker.on('error', failed);
    worker.postMessage(task);
  });
}
