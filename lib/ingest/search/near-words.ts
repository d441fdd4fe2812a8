// Words that are spelled a little otherwise, found among words in order: those that begin alike are compared with the query once for what
// they begin with, and passed over together where that is too far off already.

/** Words in order of their UTF-16 units. */
export interface OrderedWords {
  readonly count: number;
  word(place: number): string;
  /** The first place behind those whose words begin as the one at `place` does, for so many units. */
  behind(place: number, units: number): number;
}

export interface NearWord {
  readonly place: number;
  readonly word: string;
  /** Levenshtein, in UTF-16 units. */
  readonly distance: number;
}

/** Those at a distance of `most` or less, in order. */
export function* nearWords(words: OrderedWords, query: string, most: number): Generator<NearWord> {
  const table = createTable(query, most);
  let [before, known] = ['', 0];
  for (let place = 0; place < words.count; ) {
    const word = words.word(place);
    let depth = alike(before, word, known);
    while (depth < word.length && table.fill(depth, word.charCodeAt(depth)) <= most) depth += 1;
    [before, known] = [word, depth];
    if (depth < word.length) {
      place = words.behind(place, depth + 1);
      continue;
    }
    const distance = table.distance(depth);
    if (distance <= most) yield { place, word, distance };
    place += 1;
  }
}

function alike(one: string, other: string, most: number): number {
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}

/** The distances of beginnings, a row a unit of the word; only what is near the diagonal can be `most` or less. */
function createTable(query: string, most: number) {
  const width = query.length + 1;
  const far = most + 1;
  const cells = new Uint8Array((query.length + most + 2) * width).fill(far);
  for (let at = 0; at <= Math.min(query.length, most); at++) cells[at] = at;
  const cell = (row: number, at: number): number => cells[row * width + at] ?? far;
  return {
    /** Fills the row behind that of `depth` units with one unit more; answers its least distance. */
    fill: (depth: number, unit: number): number => {
      const row = depth + 1;
      if (row > query.length + most) return far;
      let least = Math.min(row, far);
      cells[row * width] = least;
      const to = Math.min(query.length, row + most);
      for (let at = Math.max(1, row - most); at <= to; at++) {
        const changed = cell(depth, at - 1) + (query.charCodeAt(at - 1) === unit ? 0 : 1);
        const distance = Math.min(changed, cell(depth, at) + 1, cell(row, at - 1) + 1, far);
        cells[row * width + at] = distance;
        if (distance < least) least = distance;
      }
      return least;
    },
    distance: (depth: number): number => cell(depth, query.length),
  };
}
