// Where a run's choices come from. Every process has a stream of draws for each purpose, so that calming one draw leaves the others as they
// were: that is how a broken run is shrunk. 0 is always the calm choice: nothing goes wrong, nothing takes long, the first of several.
import { type Chance, seededChance } from '../../core/chance.ts';

/** Which draws keep their value; the others are calmed. `key` is `<process>/<purpose>#<count>`. */
export type Keep = (key: string, purpose: string) => boolean;

/** A number in [0, 1), the next of its stream. */
export type Draw = () => number;

export interface Draws {
  /** The next number of the stream of an owner for a purpose. */
  draw(owner: string, purpose: string): number;
  /** The streams of one owner. */
  of(owner: string): (purpose: string) => number;
  /** Chance that no shrinking touches, for ids. */
  plain(owner: string): Chance;
  /** How many choices were made. */
  count(): number;
  /** The key and purpose of each draw that was kept, in order; empty unless recorded. */
  readonly recorded: readonly Drawn[];
}

export interface Drawn {
  readonly key: string;
  readonly purpose: string;
}

/** `keep` undefined keeps every draw and records none. */
export function createDraws(seed: number, keep?: Keep): Draws {
  const owners = new Map<string, (purpose: string) => number>();
  const recorded: Drawn[] = [];
  let count = 0;
  const streamOf = (owner: string, ownerHash: number, purpose: string): Draw => {
    const chance = seededChance(finished(hashOf(purpose, ownerHash)));
    let place = 0;
    return () => {
      count += 1;
      const value = chance.next();
      if (keep === undefined) return value;
      const drawn = { key: `${owner}/${purpose}#${++place}`, purpose };
      if (!keep(drawn.key, purpose)) return 0;
      recorded.push(drawn);
      return value;
    };
  };
  const of = (owner: string) => {
    const streams = new Map<string, Draw>();
    const ownerHash = hashOf(`${seed}/${owner}/`);
    return (purpose: string): number => {
      const known = streams.get(purpose);
      if (known !== undefined) return known();
      const made = streamOf(owner, ownerHash, purpose);
      streams.set(purpose, made);
      return made();
    };
  };
  return {
    recorded,
    of,
    count: () => count,
    plain: (owner) => seededChance(finished(hashOf(`${seed}/${owner}/plain`))),
    draw: (owner, purpose) => {
      const known = owners.get(owner) ?? of(owner);
      owners.set(owner, known);
      return known(purpose);
    },
  };
}

/** FNV-1a, 32 bits, of a text that begins with one of the hash `from`. */
function hashOf(text: string, from = 0x811c9dc5): number {
  let hash = from;
  for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  return hash;
}

/** So that near names lie far apart. */
function finished(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
