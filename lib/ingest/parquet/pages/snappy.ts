// Snappy, as it goes by: a block of any size is read through a window. Format: github.com/google/snappy, format_description.txt. Its writers
// look for repeats in 64 KiB, so that no copy reaches further back.

/** How far back a copy may reach. */
const WINDOW = 64 * 1024;
/** Of what is given on at once. */
const PIECE = 1024 * 1024;
/** Of a tag with all that belongs to it. */
const TAG_BYTES = 5;

type Bytes = Iterable<Buffer> | AsyncIterable<Buffer>;

/** A copy that a tag asks for, or bytes that follow it; `size`: of the tag. */
interface Tag {
  readonly size: number;
  readonly length: number;
  /** 0: the bytes follow. */
  readonly offset: number;
}

const notSnappy = (): TypeError => new TypeError('a page is not compressed as it says');

function tagAt(bytes: Buffer, at: number): Tag | undefined {
  const head = bytes[at] ?? 0;
  const [kind, upper] = [head & 3, head >>> 2];
  const extra = kind === 0 ? Math.max(0, upper - 59) : ([0, 1, 2, 4][kind] ?? 0);
  if (at + 1 + extra > bytes.length) return undefined;
  const number = extra === 0 ? 0 : bytes.readUIntLE(at + 1, extra);
  if (kind === 0) return { size: 1 + extra, length: 1 + (extra === 0 ? upper : number), offset: 0 };
  const [length, offset] = kind === 1 ? [4 + (upper & 7), ((head >>> 5) << 8) | number] : [1 + upper, number];
  if (offset === 0) throw notSnappy();
  return { size: 1 + extra, length, offset };
}

/** The longest copy. */
const COPY_BYTES = 64;

/** What comes of it, through a window that what was given on stays in. */
function openWindow() {
  const bytes = Buffer.alloc(WINDOW + PIECE);
  let [from, at] = [0, 0];
  const room = (): number => bytes.length - at;
  const put = (source: Buffer): void => {
    source.copy(bytes, at);
    at += source.length;
  };
  const repeat = (length: number, offset: number): void => {
    if (offset > at) throw new TypeError('a page is compressed by what no writer does');
    // What is copied may be what the copy writes.
    if (offset >= length) bytes.copyWithin(at, at - offset, at - offset + length);
    else for (let index = 0; index < length; index++) bytes[at + index] = bytes[at + index - offset] ?? 0;
    at += length;
  };
  const take = (): Buffer => {
    const taken = Buffer.from(bytes.subarray(from, at));
    const kept = Math.min(WINDOW, at);
    bytes.copyWithin(0, at - kept, at);
    from = kept;
    at = kept;
    return taken;
  };
  return { room, put, repeat, take };
}

function tagReader() {
  const window = openWindow();
  const isFull = (): boolean => window.room() < COPY_BYTES;
  /** Bytes of a run that are still to come. */
  let run = 0;
  const runOn = (bytes: Buffer, at: number): number => {
    const some = bytes.subarray(at, at + Math.min(run, window.room()));
    window.put(some);
    run -= some.length;
    return at + some.length;
  };
  /** Reads tags from `from` on, as many as are there or fill the window; answers where it has come to. */
  const read = (bytes: Buffer, from: number): number => {
    let at = from;
    while (at < bytes.length && !isFull()) {
      if (run > 0) {
        at = runOn(bytes, at);
        continue;
      }
      const tag = tagAt(bytes, at);
      if (tag === undefined) return at;
      at += tag.size;
      if (tag.offset === 0) run = tag.length;
      else window.repeat(tag.length, tag.offset);
    }
    return at;
  };
  return {
    isWithin: () => run > 0,
    take: window.take,
    /** Gives what comes of the tags that are there, in pieces; returns where it has come to. */
    *readAll(bytes: Buffer, from: number): Generator<Buffer, number> {
      let at = read(bytes, from);
      for (; isFull(); at = read(bytes, at)) yield window.take();
      return at;
    },
  };
}

/** Passes over the length of all that comes of it; answers where the tags begin, undefined where they are not there yet. */
function behindLength(bytes: Buffer): number | undefined {
  const at = bytes.findIndex((byte) => byte < 128);
  if (at >= TAG_BYTES || (at < 0 && bytes.length >= TAG_BYTES)) throw notSnappy();
  return at < 0 ? undefined : at + 1;
}

/** The bytes that a block of Snappy stands for. Throws a TypeError for what is none. */
export async function* unsnapped(block: Bytes): AsyncGenerator<Buffer> {
  const tags = tagReader();
  let rest: Buffer = Buffer.alloc(0);
  let isOpen = false;
  for await (const piece of block) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const from = isOpen ? 0 : behindLength(bytes);
    rest = bytes;
    if (from === undefined) continue;
    isOpen = true;
    const piecesOf = tags.readAll(bytes, from);
    let come = piecesOf.next();
    for (; come.done !== true; come = piecesOf.next()) yield come.value;
    rest = Buffer.from(bytes.subarray(come.value));
  }
  if (rest.length > 0 || tags.isWithin()) throw new TypeError('a page is cut short');
  yield tags.take();
}
