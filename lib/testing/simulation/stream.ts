// The table's change stream: gapless and in order per job, read in batches; a record may come late, and a batch again.
import type { JobRow } from '../../job/row.ts';
import type { FaultName } from './coverage.ts';
import type { Faults } from './faults.ts';
import type { Loop } from './loop.ts';

/** A row before and after a write; `after` is absent when it was removed. */
export interface StreamRecord {
  readonly before: JobRow | undefined;
  readonly after: JobRow | undefined;
  readonly rule: string;
}

/** Answers the index of the first record that has to come again, or `failed` when all of them have to. */
export type Reader = (records: readonly StreamRecord[]) => Promise<number | 'failed' | undefined>;

export interface Stream {
  append(change: StreamRecord): void;
  /** From now on `reader` gets what is appended. */
  read(reader: Reader): void;
  /** Whether everything that was appended has been read. */
  isDrained(): boolean;
}

export interface StreamDeps {
  readonly loop: Loop;
  readonly faults: Faults;
  readonly draw: (purpose: string) => number;
  readonly suffered: (change: StreamRecord, fault: FaultName) => void;
}

interface Record {
  readonly change: StreamRecord;
  readonly at: number;
}
interface Shard {
  readonly records: Record[];
  reading: boolean;
}

const SHARDS = 2;
const LATEST_RECORD = 90_000;
/** Lambda waits this long before it sends a failed batch again, ms. */
const AGAIN_AFTER = 1000;
const LARGEST_BATCH = 10;

export function createStream(deps: StreamDeps): Stream {
  const shards = Array.from({ length: SHARDS }, (): Shard => ({ records: [], reading: false }));
  let reader: Reader | undefined;
  return {
    append: (change) => {
      const shard = shards[String((change.after ?? change.before)?.id).charCodeAt(5) % SHARDS];
      if (shard === undefined || reader === undefined) return;
      const late = deps.draw('record') > 1 - deps.faults.lateRecord;
      if (late) deps.suffered(change, 'late record');
      const delay = late ? deps.draw('record lateness') * LATEST_RECORD : 50 + deps.draw('record lateness') * 200;
      shard.records.push({ change, at: Math.max(shard.records.at(-1)?.at ?? 0, deps.loop.now() + delay) });
      deliver(deps, shard, reader);
    },
    read: (given) => {
      reader = given;
    },
    isDrained: () => shards.every(({ records }) => records.length === 0),
  };
}

function deliver(deps: StreamDeps, shard: Shard, reader: Reader): void {
  const first = shard.records[0];
  if (first === undefined || shard.reading) return;
  shard.reading = true;
  deps.loop.after(first.at - deps.loop.now(), undefined, () => {
    void readBatch(deps, shard, reader).then((pause) => {
      deps.loop.after(pause, undefined, () => {
        shard.reading = false;
        deliver(deps, shard, reader);
      });
    });
  });
}

/** Reads one batch, and answers how long to wait before the next, ms. */
async function readBatch(deps: StreamDeps, shard: Shard, reader: Reader): Promise<number> {
  const most = 1 + Math.floor(deps.draw('batch') * LARGEST_BATCH);
  const batch = shard.records.slice(0, most).filter(({ at }) => at <= deps.loop.now());
  const changes = batch.map(({ change }) => change);
  if (changes.length > 1) for (const change of changes) deps.suffered(change, 'batched record');
  const failedAt = await reader(changes);
  const repeats = deps.draw('repeated') > 1 - deps.faults.repeatedRecord;
  const read = failedAt === 'failed' || repeats ? 0 : (failedAt ?? batch.length);
  shard.records.splice(0, read);
  for (const change of changes.slice(read)) deps.suffered(change, 'repeated record');
  return read === batch.length ? 0 : AGAIN_AFTER;
}
