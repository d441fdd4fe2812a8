// The text of a large file where it lies in the object store: one object, or pieces of one text. A stretch of it at a time is on disk.
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { Objects } from '../../core/objects.ts';
import type { FileRecord } from '../catalog.ts';

export const plainSchema = z.lazy(() =>
  z.strictObject({
    /** One behind the other. */
    pieces: z.array(z.strictObject({ key: z.string(), bytes: z.int() })),
    /** Bytes to pass over: a byte order mark. */
    start: z.int(),
    size: z.int(),
    /** The stretch that is read, and how many lines end before it; absent where that is all. */
    within: z.strictObject({ start: z.int(), end: z.int(), lines: z.int() }).optional(),
  }),
);
export type Plain = z.infer<typeof plainSchema>;

/** A file that is one object. */
export const storedPlain = ({ objectKey, size }: Pick<FileRecord, 'objectKey' | 'size'>): Plain => ({
  pieces: [{ key: objectKey, bytes: size }],
  start: 0,
  size,
});

export interface Stretch {
  /** Offsets of the first byte and of the one behind the last. */
  readonly start: number;
  readonly end: number;
}

/** Where what is read of it ends. */
export const endOf = ({ within, size }: Plain): number => within?.end ?? size;

/** Where the bytes of a stretch are. */
function placesOf({ pieces }: Plain, { start, end }: Stretch) {
  let offset = 0;
  return pieces.flatMap(({ key, bytes }) => {
    const place = { key, start: Math.max(start - offset, 0), end: Math.min(end - offset, bytes) };
    offset += bytes;
    return place.start < place.end ? [place] : [];
  });
}

const gone = (key: string): Fault => new Fault('INPUT_UNREADABLE', `The object ${key} is gone.`);

/** The bytes of a stretch. Throws the Fault INPUT_UNREADABLE where an object is gone. */
export async function* bytesOf(objects: Objects, plain: Plain, stretch: Stretch): AsyncGenerator<Buffer> {
  for (const { key, start, end } of placesOf(plain, stretch)) {
    const stream = await objects.read(key, start, end);
    if (stream === undefined) throw gone(key);
    yield* stream as AsyncIterable<Buffer>;
  }
}

export interface Fetching {
  readonly objects: Objects;
  readonly plain: Plain;
  readonly signal: AbortSignal;
}

/** Writes a stretch to a local file; `wrote` is told of the bytes of each write. Faults: INPUT_UNREADABLE. */
export async function fetchStretch(
  { objects, plain, signal }: Fetching,
  stretch: Stretch,
  path: string,
  wrote?: (bytes: number) => void,
): Promise<void> {
  await using file = await open(path, 'w');
  for (const { key, ...bytes } of placesOf(plain, stretch)) {
    if (!(await objects.readInto(key, file, { ...bytes, signal, wrote }))) throw gone(key);
  }
}

/** Where, in the folder of a step, one stage leaves stretches for the next. */
export const LEFT = 'survey';
export const leftIn = (folder: string): string => join(folder, LEFT);
/** What a stretch is called there. */
export const stretchName = ({ start, end }: Stretch): string => `stretch-${start}-${end}`;
/** What its rows are called there, where they were written with the survey. */
export const rowsName = (stretch: Stretch): string => `${stretchName(stretch)}.csv`;

/** Where the rows of a local chunk are written beside it. */
export const rowsBeside = (path: string): string => `${path}.csv`;

/** Takes what an earlier stage left at `from`, if it did. */
export const tookLeft = (from: string, path: string): Promise<boolean> =>
  rename(from, path).then(
    () => true,
    () => false,
  );

/** A stretch as the local file `path`: taken from the folder where an earlier stage left it, else fetched. Faults: INPUT_UNREADABLE. */
export async function localChunk(
  fetching: Fetching,
  { start, end }: Stretch,
  { left, path }: { readonly left?: string | undefined; readonly path: string },
): Promise<void> {
  const there = left !== undefined && (await tookLeft(join(left, stretchName({ start, end })), path));
  if (!there) await fetchStretch(fetching, { start, end }, path);
}
