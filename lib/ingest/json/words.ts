// Four bytes of a text at a time, as a number of 32 bits: where in it the first byte stands that means something.

/** The bytes of a buffer, for the words in them. */
export const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView =>
  new DataView(buffer, byteOffset, byteLength);

const ONES = 0x01010101;
const TOPS = 0x80808080;
const LINE_FEEDS = 0x0a0a0a0a;
const RETURNS = 0x0d0d0d0d;
const SPACES = 0x20202020;
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;

/** The top bit of each zero byte is set, and of no byte before the first of them. */
const zeros = (word: number): number => (word - ONES) & ~word;
const controls = (word: number): number => (word - SPACES) & ~word;

/** Marks quotes, backslashes and control characters: 0 where there are none, else `firstOf` says where the first is. */
export const markedInText = (word: number): number =>
  (zeros(word ^ QUOTES) | zeros(word ^ BACKSLASHES) | controls(word)) & TOPS;

/** Marks backslashes. */
export const markedEscapes = (word: number): number => zeros(word ^ BACKSLASHES) & TOPS;

/** Marks quotes and line ends. */
export const markedInNested = (word: number): number =>
  (zeros(word ^ QUOTES) | zeros(word ^ LINE_FEEDS) | zeros(word ^ RETURNS)) & TOPS;

/** Which of the four bytes, in the order of a word read with the least first, is the first that is marked. */
export const firstOf = (marks: number): number => (31 - Math.clz32(marks & -marks)) >> 3;
