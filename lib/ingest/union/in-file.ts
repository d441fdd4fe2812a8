// What concerns one of several files that are one table.
import { Fault } from '../../core/fault.ts';
import type { ReadOptions } from '../options.ts';

/** Says in which file it was. */
export async function inFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const { code, detail, extra } = thrown;
    throw new Fault(code, `In ${JSON.stringify(file)}: ${detail}`, { cause: thrown, extra: { ...extra, file } });
  }
}

/** The types that the caller says are of the columns of all files together. */
export const withoutTypes = ({ types: _types, onMisfit: _onMisfit, ...options }: ReadOptions): ReadOptions => options;
