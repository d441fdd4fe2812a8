// A vector in bytes: its direction is all that counts, and a signed byte a dimension keeps it well enough for an order.

/** The largest dimension becomes 127 or -127. */
export function packed(vector: readonly number[]): Int8Array {
  const largest = vector.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  return Int8Array.from(vector, (each) => (largest === 0 ? 0 : Math.round((each / largest) * 127)));
}

/** Of those dimensions that begin at `from`. */
export function lengthOf(values: Int8Array, from: number, dimensions: number): number {
  let sum = 0;
  for (let at = from; at < from + dimensions; at++) sum += (values[at] ?? 0) ** 2;
  return Math.sqrt(sum);
}

/** The inner product of `vector` with what begins at `from`, which is there: a check a byte would double the time. */
export function product(vector: Int8Array, values: Int8Array, from: number): number {
  let sum = 0;
  const { length } = vector;
  for (let at = 0; at < length; at++) sum += (vector[at] as number) * (values[from + at] as number);
  return sum;
}
