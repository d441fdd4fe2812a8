// Brings the vectors of a workspace up to its index: embeds the texts that have none, and writes a version with the vectors of the texts
// that are there. It goes on where another run has left off, since every round is a version.
import type { Documents, StoredDocument } from '../../../core/documents.ts';
import { Fault } from '../../../core/fault.ts';
import type { Scope } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import type { Objects } from '../../../core/objects.ts';
import type { Clock, DurationMs } from '../../../core/time.ts';
import { unlessDamaged } from '../damage.ts';
import { readIndex } from '../index-read.ts';
import { openPointer, openVectorPointer, type VectorPointer } from '../pointer.ts';
import { type EmbedTextsDeps, embedTexts, type NotEmbedded } from './embed-texts.ts';
import { hashOf, textOf } from './entry-text.ts';
import { isOf, type ModelName, readVectors, vectorAt, vectorBytes } from './vector-file.ts';

export interface EmbedIndexDeps extends EmbedTextsDeps {
  readonly documents: Documents;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly log?: Log | undefined;
}

export interface EmbedIndexRequest {
  readonly scope: Scope;
  /** Keys below it are this run's alone. */
  readonly prefix: string;
  /** How long it may ask for more; what is left then is `time`. */
  readonly asking: DurationMs;
  readonly signal?: AbortSignal | undefined;
}

export interface EmbeddedIndex {
  /** Texts that were paid for. */
  readonly embedded: number;
  /** Texts that have no vector yet. */
  readonly left: number;
  readonly why?: NotEmbedded | 'time' | undefined;
  readonly failure?: string | undefined;
  /** The key of the index, where it cannot be read. */
  readonly damaged?: string | undefined;
}

/** Texts of a version: what a run that dies has paid in vain. Where the budget has no room for so many, down to `least` are tried. */
const ROUND = { most: 1000, least: 20 } as const;
/** How often others may move the vectors while a round is embedded. */
const TRIES = 8;

/** Throws the Fault CONFLICT where others move the vectors all the time, and what the stores throw. */
export async function embedIndex(deps: EmbedIndexDeps, request: EmbedIndexRequest): Promise<EmbeddedIndex> {
  const { scope, prefix, signal } = request;
  const until = deps.clock.monotonic() + request.asking;
  const state = createState(deps, scope);
  let [embedded, refused, size] = [0, 0, ROUND.most as number];
  for (let round = 1; ; round++) {
    const now = await state.read();
    if (now === undefined) return { embedded, left: 0 };
    if ('damaged' in now) return { embedded, left: 0, damaged: now.damaged };
    if (now.missing.size === 0 && now.current) return { embedded, left: 0 };
    if (deps.clock.monotonic() > until) return { embedded, left: now.missing.size, why: 'time' };
    const texts = new Map([...now.missing].slice(0, size));
    const { vectors, ...end } = await embedTexts(deps, { texts, until, signal });
    if ((end.why === 'run' || end.why === 'month') && texts.size > ROUND.least) {
      size = Math.max(ROUND.least, Math.floor(texts.size / 4));
      continue;
    }
    embedded += vectors.size;
    const moved = await state.write(now, vectors, `${prefix}/vectors-${round}.bin`);
    if (end.why !== undefined && moved) return { embedded, left: now.missing.size - vectors.size, ...end };
    refused = moved ? 0 : refused + 1;
    if (refused === TRIES)
      throw new Fault('CONFLICT', 'The vectors of the workspace are moved by others all the time.');
  }
}

interface State {
  readonly before: StoredDocument<VectorPointer> | undefined;
  /** The key of the index that it is compared with. */
  readonly index: string;
  /** Of the index, by hash. */
  readonly texts: ReadonlyMap<string, string>;
  readonly kept: ReadonlyMap<string, Int8Array>;
  /** Texts without a vector. */
  readonly missing: ReadonlyMap<string, string>;
  /** Whether the pointer says what is. */
  readonly current: boolean;
}

/** Reads each version once, and keeps what was paid for where its version is not taken. */
function createState({ documents, objects, clock, log, embedder: { embeddings } }: EmbedIndexDeps, scope: Scope) {
  const indexes = openPointer({ documents, objects, clock });
  const pointers = openVectorPointer({ documents, objects, clock });
  const known = new Map<string, Int8Array>();
  const texts = { key: '', byHash: new Map<string, string>() };
  let vectors = '';

  const readTexts = async (key: string): Promise<'there' | 'gone' | 'damaged'> => {
    const bytes = key === texts.key ? undefined : await objects.get(key);
    if (bytes === undefined) return key === texts.key ? 'there' : 'gone';
    const byHash = await unlessDamaged(key, log, () => textsIn(bytes, embeddings));
    if (byHash) Object.assign(texts, { key, byHash });
    return byHash ? 'there' : 'damaged';
  };

  const learn = async (pointer: VectorPointer | undefined): Promise<void> => {
    if (pointer === undefined || pointer.key === vectors || !isOf(pointer, embeddings)) return;
    const set = await readSet(objects, pointer.key);
    vectors = pointer.key;
    if (set === undefined) return;
    for (const [hash, row] of set.rows) known.set(hash, vectorAt(set, row));
  };

  return {
    /** Undefined where the workspace has no index, or its object is gone. */
    read: async (): Promise<State | { readonly damaged: string } | undefined> => {
      const index = (await indexes.read(scope))?.body.key;
      const found = index === undefined ? 'gone' : await readTexts(index);
      if (index === undefined || found === 'gone') return undefined;
      if (found === 'damaged') return { damaged: index };
      const before = await pointers.read(scope);
      await learn(before?.body);
      const kept = new Map([...known].filter(([hash]) => texts.byHash.has(hash)));
      const missing = new Map([...texts.byHash].filter(([hash]) => !kept.has(hash)));
      const current = before?.body.index === index && before.body.complete && isOf(before.body, embeddings);
      return { before, index, texts: texts.byHash, kept, missing, current };
    },
    /** False where the pointer has moved meanwhile. */
    write: async (now: State, fresh: ReadonlyMap<string, Int8Array>, key: string): Promise<boolean> => {
      for (const [hash, vector] of fresh) known.set(hash, vector);
      const all = new Map([...now.kept, ...fresh]);
      // Nothing to say: what there is of another model stays as it is.
      if (all.size === 0 && now.texts.size > 0) return true;
      const { model, dimensions } = embeddings;
      const { before: { body } = {} } = now;
      const same = body !== undefined && isOf(body, embeddings) && fresh.size === 0 && body.count === all.size;
      const named = same ? body.key : key;
      if (!same && (await objects.putOnce(key, vectorBytes(embeddings, all))) === 'exists') return false;
      const complete = all.size === now.texts.size;
      const next = { key: named, model, dimensions, count: all.size, index: now.index, complete };
      if (await pointers.move(scope, now.before, next)) return true;
      if (!same) await objects.delete(key);
      return false;
    },
  };
}

/** Of an index, by hash. */
function textsIn(bytes: Uint8Array, model: ModelName): Map<string, string> {
  const texts = new Map<string, string>();
  for (const entry of readIndex(bytes).entries()) {
    const text = textOf(entry);
    texts.set(hashOf(model, text), text);
  }
  return texts;
}

/** Undefined where it is gone or cannot be read: it is made anew then. */
async function readSet(objects: Pick<Objects, 'get'>, key: string) {
  const bytes = await objects.get(key);
  try {
    return bytes && readVectors(bytes);
  } catch {
    return undefined;
  }
}
