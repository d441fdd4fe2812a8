// Lines in bytes: where each begins is known without any of them being read, and others are written from them by copying.

export interface Lines {
  readonly bytes: Buffer;
  readonly count: number;
  /** Of the byte that a line begins with; for `count`, of the one behind the last. */
  start(place: number): number;
  /** Without the line feed. */
  text(place: number): string;
  /** Those from a place to the one before another. */
  between(from: number, to: number): Lines;
}

const LINE_FEED = 10;

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The first line alone; undefined where none ends. */
export function firstLine(bytes: Uint8Array): string | undefined {
  const end = bytes.indexOf(LINE_FEED);
  return end < 0 ? undefined : asBuffer(bytes).toString('utf8', 0, end);
}

/** Throws a RangeError where the bytes are not `count` lines. */
export function linesIn(bytes: Uint8Array, count: number): Lines {
  const buffer = asBuffer(bytes);
  const starts = new Uint32Array(count + 1);
  let found = 0;
  let end = buffer.indexOf(LINE_FEED);
  for (; end >= 0 && found < count; end = buffer.indexOf(LINE_FEED, end + 1)) starts[++found] = end + 1;
  if (found !== count || starts[found] !== buffer.length)
    throw new RangeError(`${count} lines of an index are ${found}, in ${buffer.length} bytes.`);
  return linesAt(buffer, starts);
}

function linesAt(bytes: Buffer, starts: Uint32Array): Lines {
  const start = (place: number): number => starts[place] ?? bytes.length;
  return {
    bytes,
    count: starts.length - 1,
    start,
    text: (place) => bytes.toString('utf8', start(place), start(place + 1) - 1),
    between: (from, to) => linesAt(bytes, starts.subarray(from, to + 1)),
  };
}

/** Collects lines in one piece of memory of so many bytes, or of more where they are more. */
export function createLineSink(bytes: number) {
  let held = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  const makeRoom = (more: number): void => {
    if (at + more <= held.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * held.length, at + more));
    held.copy(larger, 0, 0, at);
    held = larger;
  };
  return {
    write: (line: string): void => {
      makeRoom(Buffer.byteLength(line) + 1);
      at += held.write(`${line}\n`, at);
    },
    /** Lines from a place to the one before another. */
    copy: (lines: Lines, from: number, to: number): void => {
      const [start, end] = [lines.start(from), lines.start(to)];
      makeRoom(end - start);
      at += lines.bytes.copy(held, at, start, end);
    },
    /** Writes over what the first line was, with one that is as long. */
    rewrite: (line: string): void => void held.write(line, 0),
    done: (): Uint8Array<ArrayBuffer> => held.subarray(0, at),
  };
}
