// Tells who waits for a job in this process that its row or its events were just written. A hint: what other processes write is not told.
import type { JobRef } from '../../core/ids.ts';
import type { JobStore } from '../../job/ports.ts';

export interface ChangeSignal {
  /** Resolves at the next write that tells of the job, or when `signal` aborts. */
  changed(ref: JobRef, signal: AbortSignal): Promise<void>;
}

type Told = Pick<JobStore, 'submit' | 'write' | 'publish' | 'transact' | 'putEvents'>;

/** The same writes, told once they are done. */
export function signalling(store: Told): Told & ChangeSignal {
  const waiting = new Map<string, Set<() => void>>();
  const tell = (...ids: readonly string[]): void => {
    for (const id of ids) for (const wake of waiting.get(id) ?? []) wake();
  };
  const telling = async <T>(done: Promise<T>, ...ids: readonly string[]): Promise<T> => {
    const answer = await done;
    tell(...ids);
    return answer;
  };
  return {
    submit: (row, params) => telling(store.submit(row, params), row.id),
    write: (ref, rule, params) => telling(store.write(ref, rule, params), ref.id),
    publish: (ref, ...more) => telling(store.publish(ref, ...more), ref.id),
    transact: (writes, token) => telling(store.transact(writes, token), ...writes.flatMap(idOf)),
    putEvents: (events) => telling(store.putEvents(events), ...events.map(({ jobId }) => jobId)),
    changed: ({ id }, signal) =>
      new Promise((resolve) => {
        const all = waiting.get(id) ?? new Set();
        waiting.set(id, all);
        const done = (): void => {
          all.delete(done);
          if (all.size === 0) waiting.delete(id);
          signal.removeEventListener('abort', done);
          resolve();
        };
        all.add(done);
        if (signal.aborted) done();
        else signal.addEventListener('abort', done, { once: true });
      }),
  };
}

const idOf = (write: Parameters<JobStore['transact']>[0][number]): string[] => {
  if ('job' in write) return [write.job.id];
  return 'submit' in write ? [write.submit.id] : [];
};
