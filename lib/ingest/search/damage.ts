// What is damaged of an index: a merge makes it anew, and nothing else that goes wrong there is taken for it.

/** The message says which part; what stands there may be values of users. */
export class DamagedIndex extends Error {
  override readonly name = 'DamagedIndex';
}

/** What `read` makes of bytes that are at hand. Throws a DamagedIndex for whatever it throws. */
export function reading<T>(part: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof DamagedIndex) throw thrown;
    throw new DamagedIndex(`It cannot be read: ${part}.`, { cause: thrown });
  }
}
