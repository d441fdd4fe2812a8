// Whether what follows some bytes stands in quotes, four bytes at a time: 55 MB take 20 ms of processor, and 80 byte by byte.
const QUOTE = 34;
const QUOTES = 0x22222222;
const SEVENS = 0x7f7f7f7f;

const NO_WORDS = new Int32Array(0);

/** The top bit of each zero byte, and no other bit. */
const zeros = (word: number): number => ~(((word & SEVENS) + SEVENS) | word | SEVENS);

/** 1 where an odd number of bytes is marked in their top bits. */
const oddMarks = (marks: number): number => ((marks >>> 7) ^ (marks >>> 15) ^ (marks >>> 23) ^ (marks >>> 31)) & 1;

function oddByBytes(bytes: Buffer, from: number, to: number): number {
  let odd = 0;
  for (let at = from; at < to; at++) if (bytes[at] === QUOTE) odd ^= 1;
  return odd;
}

/** Whether an odd number of quotes stands in the bytes from `from` to the one before `to`. */
export function oddQuotes(bytes: Buffer, from: number, to: number): boolean {
  const begin = bytes.byteOffset + from;
  const first = Math.min(to, from + (-begin & 3));
  const words = first < to ? new Int32Array(bytes.buffer, bytes.byteOffset + first, (to - first) >> 2) : NO_WORDS;
  let marks = 0;
  for (let index = 0; index < words.length; index++) marks ^= zeros((words[index] as number) ^ QUOTES);
  const last = first + 4 * words.length;
  return (oddByBytes(bytes, from, first) ^ oddMarks(marks) ^ oddByBytes(bytes, last, to)) === 1;
}
