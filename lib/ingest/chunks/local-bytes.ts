// The bytes of a chunk on the local disk: all of them in order, and the lines that they are.
import { open } from 'node:fs/promises';
import { lineEnds } from '../vectors/line-ends.ts';

const LOOK_BYTES = 1 << 20;

/** Calls `look` with the bytes of a local file, in order, and where they stand; what it is given is valid during the call only. */
export async function eachPiece(path: string, look: (bytes: Buffer, at: number) => void): Promise<void> {
  await using file = await open(path);
  const buffer = Buffer.allocUnsafe(LOOK_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    look(buffer.subarray(0, bytesRead), at);
    at += bytesRead;
  }
}

/** Counts the line ends of stretches that follow each other. */
export function lineCounter() {
  let lines = 0;
  let before = 0;
  return {
    add: (bytes: Buffer): void => {
      lines += lineEnds(bytes, before);
      before = bytes.at(-1) ?? before;
    },
    lines: (): number => lines,
  };
}
