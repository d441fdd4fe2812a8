// SHA-256 (FIPS 180-4) whose state can be kept between invocations, which that of Node's own cannot: a file is hashed stretch by stretch.

/** What has been hashed so far; JSON. */
export interface HashState {
  readonly words: readonly number[];
  readonly bytes: number;
  /** What does not fill a block yet, as Base64. */
  readonly rest: string;
}

const BLOCK = 64;

const isPrime = (n: number): boolean => Array.from({ length: n }, (_, i) => i).every((i) => i < 2 || n % i !== 0);
const primes = Array.from({ length: 312 }, (_, n) => n).filter((n) => n > 1 && isPrime(n));
/** The first 32 bits of the fraction of a root. */
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
const constants = Int32Array.from(primes.slice(0, 64), (prime) => fraction(Math.cbrt(prime)));

export const startHash: HashState = {
  words: primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
  bytes: 0,
  rest: '',
};

const schedule = new Int32Array(64);

function fillSchedule(bytes: Uint8Array, from: number): void {
  const w = schedule;
  for (let i = 0, at = from; i < 16; i++, at += 4)
    w[i] =
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number);
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number;
    const y = w[i - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
  }
}

function compress(h: Int32Array): void {
  let a = h[0] as number;
  let b = h[1] as number;
  let c = h[2] as number;
  let d = h[3] as number;
  let e = h[4] as number;
  let f = h[5] as number;
  let g = h[6] as number;
  let k = h[7] as number;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (k + s1 + ((e & f) ^ (~e & g)) + (constants[i] as number) + (schedule[i] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    k = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  h[0] = (h[0] as number) + a;
  h[1] = (h[1] as number) + b;
  h[2] = (h[2] as number) + c;
  h[3] = (h[3] as number) + d;
  h[4] = (h[4] as number) + e;
  h[5] = (h[5] as number) + f;
  h[6] = (h[6] as number) + g;
  h[7] = (h[7] as number) + k;
}

function eatBlocks(h: Int32Array, bytes: Uint8Array): number {
  let at = 0;
  for (; at + BLOCK <= bytes.length; at += BLOCK) {
    fillSchedule(bytes, at);
    compress(h);
  }
  return at;
}

/** Hashes on. */
export function addToHash({ words, bytes: before, rest }: HashState, bytes: Buffer): HashState {
  const h = Int32Array.from(words);
  const kept = Buffer.from(rest, 'base64');
  const filling = kept.length === 0 ? 0 : Math.min(BLOCK - kept.length, bytes.length);
  const front = Buffer.concat([kept, bytes.subarray(0, filling)]);
  const eaten = eatBlocks(h, front);
  const left = filling + eatBlocks(h, bytes.subarray(filling));
  const open = eaten === front.length ? bytes.subarray(left) : front;
  return { words: [...h], bytes: before + bytes.length, rest: open.toString('base64') };
}

/** The hash of all bytes, in hexadecimal. */
export function endHash(state: HashState): string {
  const padding = Buffer.alloc(1 + ((BLOCK + 55 - (state.bytes % BLOCK)) % BLOCK) + 8);
  padding[0] = 0x80;
  padding.writeBigUInt64BE(BigInt(state.bytes) * 8n, padding.length - 8);
  const { words } = addToHash(state, padding);
  return words.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
