// The hash of a text in blocks, computed from its bytes at once as anyone would.
import { createHash } from 'node:crypto';

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

export function blockHash(text: Uint8Array, blockBytes: number): string {
  if (blockBytes === Infinity) return sha256(text).toString('hex');
  const blocks = Array.from({ length: Math.ceil(text.length / blockBytes) }, (_, index) =>
    sha256(text.subarray(index * blockBytes, (index + 1) * blockBytes)),
  );
  return `${sha256(Buffer.concat(blocks)).toString('hex')}-${blocks.length}`;
}
