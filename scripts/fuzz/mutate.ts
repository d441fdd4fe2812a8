// What happens to the bytes of a file: one to four accidents, each small enough that most of the file still makes sense.
import type { Dice } from './dice.ts';

const MOST_BYTES = 1 << 20;

/** Bytes that mean something to one reader or another. */
const loaded: readonly [string, ...string[]] = [
  ...([
    '"',
    '""',
    ',',
    ';',
    '\t',
    '\n',
    '\r',
    '\r\n',
    '\0',
    '\ufeff',
    "'",
    '\\',
    '{',
    '}',
    '[',
    ']',
    ':',
    '\\u',
    '=',
    '#',
  ] as const),
  ...[
    'null',
    'NaN',
    '-',
    '1e999',
    '<html>',
    'sep=;\n',
    '\ud83d\ude00',
    '\u2028',
    ' ',
    '/',
    '%',
    'PK\x03\x04',
    'PAR1',
    '\x1f\x8b',
  ],
];

type Mutation = (dice: Dice, bytes: Buffer, other: Buffer) => Buffer;

const splice = (bytes: Buffer, at: number, gone: number, put: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(Math.min(bytes.length, at + gone))]);

const mutations = {
  'flip bits': (dice, bytes) => {
    const changed = Buffer.from(bytes);
    for (let left = 1 + dice.below(8); left > 0 && changed.length > 0; left--) {
      const at = dice.below(changed.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << dice.below(8));
    }
    return changed;
  },
  'cut the end': (dice, bytes) => bytes.subarray(0, dice.below(bytes.length + 1)),
  'cut the front': (dice, bytes) => bytes.subarray(dice.below(bytes.length + 1)),
  'cut the middle': (dice, bytes) => splice(bytes, dice.below(bytes.length + 1), dice.below(64), Buffer.alloc(0)),
  'put a sign': (dice, bytes) => splice(bytes, dice.below(bytes.length + 1), 0, Buffer.from(dice.pick(loaded))),
  'replace by a sign': (dice, bytes) => {
    const sign = Buffer.from(dice.pick(loaded));
    return splice(bytes, dice.below(bytes.length + 1), sign.length, sign);
  },
  'repeat a block': (dice, bytes) => {
    const from = dice.below(bytes.length + 1);
    const block = bytes.subarray(from, from + 1 + dice.below(200));
    const times = Math.min(1 + dice.below(300), Math.floor(MOST_BYTES / Math.max(1, 4 * block.length)));
    return splice(bytes, from, 0, Buffer.concat(Array.from({ length: times }, () => block)));
  },
  'splice another file': (dice, bytes, other) => {
    const from = dice.below(other.length + 1);
    return splice(bytes, dice.below(bytes.length + 1), dice.below(100), other.subarray(from, from + dice.below(500)));
  },
  'random bytes': (dice, bytes) =>
    splice(
      bytes,
      dice.below(bytes.length + 1),
      0,
      Buffer.from(Array.from({ length: 1 + dice.below(32) }, () => dice.below(256))),
    ),
  'as UTF-16': (_dice, bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le'),
  'as Latin-1': (_dice, bytes) => Buffer.from(bytes.toString('utf8'), 'latin1'),
  'swap bytes': (_dice, bytes) => Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16(),
  twice: (_dice, bytes) => Buffer.concat([bytes, bytes]),
  'other line ends': (dice, bytes) =>
    Buffer.from(bytes.toString('latin1').replaceAll('\n', dice.pick(['\r', '\r\n', '\n\n'])), 'latin1'),
} as const satisfies Record<string, Mutation>;

export interface Mutated {
  readonly bytes: Buffer;
  /** The names of what happened, in order. */
  readonly how: readonly string[];
}

/** `other` is a file to take pieces of. At most 1 MiB. */
export function mutate(dice: Dice, bytes: Buffer, other: Buffer): Mutated {
  const names = Object.keys(mutations) as [keyof typeof mutations, ...(keyof typeof mutations)[]];
  let changed = bytes;
  const how: string[] = [];
  for (let left = dice.below(5); left > 0; left--) {
    const name = dice.pick(names);
    const mutation: Mutation = mutations[name];
    changed = mutation(dice, changed, other).subarray(0, MOST_BYTES);
    how.push(name);
  }
  return { bytes: changed, how };
}
