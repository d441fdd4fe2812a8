// What is still to come, the earliest first: a binary heap, since a run has thousands of events and most of them are far away.

export interface Timed {
  readonly at: number;
  /** Of two of the same time, the one that was made first comes first. */
  readonly order: number;
}

export interface Agenda<T extends Timed> {
  push(item: T): void;
  first(): T | undefined;
  /** Takes the first one out. */
  takeFirst(): void;
}

export function createAgenda<T extends Timed>(): Agenda<T> {
  const items: T[] = [];
  return {
    first: () => items[0],
    push: (item) => rise(items, items.push(item) - 1, item),
    takeFirst: () => {
      const last = items.pop();
      if (last !== undefined && items.length > 0) sink(items, last);
    },
  };
}

const isBefore = (a: Timed, b: Timed): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** From its place up to where its parent comes before it. */
function rise<T extends Timed>(items: T[], from: number, item: T): void {
  let place = from;
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = items[above] as T;
    if (isBefore(parent, item)) break;
    items[place] = parent;
    place = above;
  }
  items[place] = item;
}

/** From the top down to where both children come after it. */
function sink<T extends Timed>(items: T[], item: T): void {
  let place = 0;
  for (;;) {
    const left = 2 * place + 1;
    const right = items[left + 1];
    const child = right !== undefined && isBefore(right, items[left] as T) ? left + 1 : left;
    const below = items[child];
    if (below === undefined || isBefore(item, below)) break;
    items[place] = below;
    place = child;
  }
  items[place] = item;
}
