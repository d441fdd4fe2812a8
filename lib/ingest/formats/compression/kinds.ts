// The ways in which a file may be compressed: by its name and by its first bytes.
import type { Compression } from '../../reading/types.ts';

export type Compressed = Exclude<Compression, 'none'>;

const suffixes: Readonly<Record<Compressed, string>> = { gzip: '.gz', zip: '.zip', bzip2: '.bz2', zstd: '.zst' };
const kinds = Object.keys(suffixes) as readonly Compressed[];

/** The suffix that a name has when its content is compressed in this way. */
export const suffixOf = (compression: Compressed): string => suffixes[compression];

/** What the name says, and the name without it. */
export function compressionOfName(name: string): { compression: Compression; inner: string } {
  const compression = kinds.find((kind) => name.toLowerCase().endsWith(suffixes[kind]));
  if (compression === undefined) return { compression: 'none', inner: name };
  return { compression, inner: name.slice(0, -suffixes[compression].length) };
}

/** Magic numbers; an empty zip begins with its end, and pzstd begins with a frame to skip. */
const magics: readonly (readonly [RegExp, Compressed])[] = [
  [/^\x1f\x8b/, 'gzip'],
  [/^PK(\x03\x04|\x05\x06|\x07\x08)/, 'zip'],
  [/^BZh[1-9](1AY&SY|\x17rE8P\x90)/, 'bzip2'],
  [/^(\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18)/, 'zstd'],
];

/** What the first bytes say. */
export function compressionOfContent(head: Uint8Array): Compression {
  const first = Buffer.from(head.subarray(0, 10)).toString('latin1');
  return magics.find(([magic]) => magic.test(first))?.[1] ?? 'none';
}
