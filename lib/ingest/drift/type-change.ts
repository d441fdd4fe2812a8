// What a change of a column's type means for who reads it. The values of a file decide how wide a number is, so widths do not count here:
// what counts is whether a value that could be there before still can be, and as the same sort of thing.

/** `widening`: what was there before fits. `narrowing`: what is there now would have fitted before. */
export const typeChanges = ['widening', 'narrowing', 'incompatible'] as const;
export type TypeChange = (typeof typeChanges)[number];

const INTEGER = /^U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/;
const DECIMAL = /^DECIMAL\(\d+,(\d+)\)$/;

/** Places after the point of exact numbers; undefined for what is none. */
function places(type: string): number | undefined {
  if (INTEGER.test(type)) return 0;
  const scale = DECIMAL.exec(type)?.[1];
  return scale === undefined ? undefined : Number(scale);
}

/** Each holds what stands before it. */
const ladders: readonly (readonly string[])[] = [
  ['FLOAT', 'DOUBLE'],
  ['DATE', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP', 'TIMESTAMP_NS'],
  ['TIME', 'TIME_NS'],
];

function holds(wide: string, narrow: string): boolean {
  const [more, less] = [places(wide), places(narrow)];
  if (more !== undefined && less !== undefined) return more >= less;
  return ladders.some((ladder) => ladder.includes(narrow) && ladder.indexOf(wide) >= ladder.indexOf(narrow));
}

/** Of two types that differ. To text, and from exact numbers to DOUBLE, is incompatible: sums and comparisons mean something else. */
export function typeChangeOf(from: string, to: string): TypeChange {
  if (holds(to, from)) return 'widening';
  return holds(from, to) ? 'narrowing' : 'incompatible';
}
