// The accounts of the part cache: which parts there are, who holds them, how many bytes they take. Nothing here waits, so
// no two fetches ever see each other half done.

export interface Part {
  readonly key: string;
  readonly path: string;
  readonly size: number;
  /** Resolves once the file is whole. */
  readonly ready: Promise<unknown>;
  holders: number;
}

export interface Shelf {
  readonly used: number;
  get(key: string): Part | undefined;
  /** Takes the least recently used free parts off until `size` more bytes fit; undefined, and nothing done, when they cannot. */
  makeRoom(size: number, wanted: ReadonlySet<string>): Part[] | undefined;
  add(part: Part): void;
  /** Takes a part off, unless another has its place. */
  forget(part: Part): void;
  /** Marks a part as used now, by one more. */
  hold(part: Part): Part;
}

export function createShelf(maxBytes: number): Shelf {
  /** In order of last use. */
  const parts = new Map<string, Part>();
  let used = 0;
  const forget = (part: Part): void => {
    if (parts.get(part.key) !== part) return;
    parts.delete(part.key);
    used -= part.size;
  };
  return {
    get used() {
      return used;
    },
    get: (key) => parts.get(key),
    forget,
    add: (part) => {
      parts.set(part.key, part);
      used += part.size;
    },
    hold: (part) => {
      part.holders += 1;
      parts.delete(part.key);
      parts.set(part.key, part);
      return part;
    },
    makeRoom: (size, wanted) => {
      const free = [...parts.values()].filter((part) => part.holders === 0 && !wanted.has(part.key));
      let over = used + size - maxBytes;
      const evicted: Part[] = [];
      for (const part of free) {
        if (over <= 0) break;
        evicted.push(part);
        over -= part.size;
      }
      if (over > 0) return undefined;
      evicted.forEach(forget);
      return evicted;
    },
  };
}
