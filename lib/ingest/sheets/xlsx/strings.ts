// The shared strings of an XLSX workbook, kept on disk: there may be millions, and cells name them by number. What was looked at last is kept in
// memory, which for most workbooks is all of them.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { WRITE_BYTES } from '../../../core/write-bytes.ts';
import { type Package, readXml } from '../package/parts.ts';
import { richText } from './rich-text.ts';
import { damaged } from '../package/parts.ts';

const PAGE_BYTES = 1 << 14;
const PAGES = 1024;

export interface SharedStrings {
  readonly count: number;
  /** Undefined for a number that no string has. */
  readonly at: (index: number) => string | undefined;
}

/** Reads ranges of a file through its pages, of which the least recently used go first. */
function paged(fd: number): (start: number, end: number) => string {
  const pages = new Map<number, Buffer>();
  const page = (number: number): Buffer => {
    const known = pages.get(number);
    if (known !== undefined) return known;
    const bytes = pages.size < PAGES ? Buffer.allocUnsafeSlow(PAGE_BYTES) : oldest();
    readSync(fd, bytes, 0, PAGE_BYTES, number * PAGE_BYTES);
    pages.set(number, bytes);
    return bytes;
  };
  const oldest = (): Buffer => {
    const [number, bytes] = pages.entries().next().value as [number, Buffer];
    pages.delete(number);
    return bytes;
  };
  return (start, end) => {
    const first = Math.floor(start / PAGE_BYTES);
    const offset = first * PAGE_BYTES;
    if (end - offset <= PAGE_BYTES) return page(first).toString('utf8', start - offset, end - offset);
    const bytes = Buffer.allocUnsafe(end - start);
    readSync(fd, bytes, 0, bytes.length, start);
    return bytes.toString('utf8');
  };
}

/** Numbers that grow to any count without being copied one by one. */
function offsets() {
  let list = new Float64Array(1024);
  let used = 1;
  return {
    push: (value: number): void => {
      if (used === list.length) {
        const larger = new Float64Array(2 * used);
        larger.set(list);
        list = larger;
      }
      list[used++] = value;
    },
    at: (index: number): number | undefined => (index < used ? list[index] : undefined),
    count: (): number => used - 1,
  };
}

export interface KeptStrings extends SharedStrings {
  readonly close: () => void;
}

/** Reads the part into `<workDir>/strings`; without a part there are none. Faults: PARSE_ERROR, LIMIT_EXCEEDED. */
export async function readSharedStrings(
  source: Package,
  part: string | undefined,
  workDir: string,
  options: { readonly maxTokenCharacters: number; readonly signal?: AbortSignal | undefined },
): Promise<KeptStrings> {
  if (part === undefined) return { count: 0, at: () => undefined, close: () => undefined };
  const fd = openSync(join(workDir, 'strings'), 'w+');
  const ends = offsets();
  let pending: string[] = [];
  let pendingCharacters = 0;
  let written = 0;
  const flush = (): void => {
    const bytes = Buffer.from(pending.join(''));
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    pending = [];
    pendingCharacters = 0;
  };
  const add = (text: string): void => {
    if (!text.isWellFormed()) throw damaged(`the shared string ${ends.count()} has half of a character`);
    pending.push(text);
    pendingCharacters += text.length;
    written += Buffer.byteLength(text);
    ends.push(written);
    if (pendingCharacters >= WRITE_BYTES) flush();
  };
  try {
    await readXml(source, part, richText('si', add), options);
    flush();
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
  const text = paged(fd);
  return {
    count: ends.count(),
    at: (index) => {
      const [start, end] = [ends.at(index), ends.at(index + 1)];
      return start === undefined || end === undefined ? undefined : text(start, end);
    },
    close: () => closeSync(fd),
  };
}
