// What is damaged of an index: who meets it has it made anew, and nothing else that goes wrong there is taken for it.
import type { Log } from '../../core/log.ts';

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

/** What `read` answers; undefined where what it reads of the index at `key` is damaged, which is told. */
export async function unlessDamaged<T>(
  key: string,
  log: Pick<Log, 'warn'> | undefined,
  read: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof DamagedIndex)) throw thrown;
    log?.warn('The index of a workspace is damaged, and is made anew.', { key, error: thrown.message });
    return undefined;
  }
}
