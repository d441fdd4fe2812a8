// Bits, most significant first, from pieces of 64 KiB. Whoever fills them does not wait: they are at hand.
import { corrupt } from '../corrupt.ts';

const PIECE_BYTES = 65_536;

/** Fills the piece from its start, and answers with how many bytes; 0 at the end. */
export type Fill = (piece: Buffer) => number;

export class BitReader {
  readonly #fill: Fill;
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES);
  #at = 0;
  #end = 0;
  #taken = 0;
  /** The last bits taken from the piece; `#count` of them are not read yet. */
  #held = 0;
  #count = 0;

  constructor(fill: Fill) {
    this.#fill = fill;
  }

  /** How many bytes of the file are used up, in part or in whole. */
  get offset(): number {
    return this.#taken + this.#at - (this.#count >> 3);
  }

  /** Whether nothing follows the byte that was begun last. */
  atEnd(): boolean {
    return this.#count < 8 && this.#at === this.#end && !this.#refill();
  }

  /** Passes over what is left of a byte that was begun. */
  align(): void {
    this.#count -= this.#count % 8;
  }

  /** The next `bits` bits, at most 24. Throws the Fault COMPRESSION_CORRUPT at the end of the file. */
  read(bits: number): number {
    while (this.#count < bits) {
      if (this.#at === this.#end && !this.#refill()) throw corrupt('bzip2: the data is cut short.');
      this.#held = (this.#held << 8) | (this.#piece[this.#at++] ?? 0);
      this.#count += 8;
    }
    this.#count -= bits;
    return (this.#held >>> this.#count) & ((1 << bits) - 1);
  }

  /** The next `bits` bits, at most 24, without using them up; zeros stand for what the file lacks at its end. */
  peek(bits: number): number {
    while (this.#count < bits) {
      if (this.#at === this.#end && !this.#refill()) return (this.#held << (bits - this.#count)) & ((1 << bits) - 1);
      this.#held = (this.#held << 8) | (this.#piece[this.#at++] ?? 0);
      this.#count += 8;
    }
    return (this.#held >>> (this.#count - bits)) & ((1 << bits) - 1);
  }

  /** Uses up bits that were peeked at. Throws the Fault COMPRESSION_CORRUPT at the end of the file. */
  skip(bits: number): void {
    if (this.#count < bits) throw corrupt('bzip2: the data is cut short.');
    this.#count -= bits;
  }

  /** The next 32 bits as an unsigned number. */
  readWord(): number {
    return this.read(16) * 0x1_0000 + this.read(16);
  }

  #refill(): boolean {
    this.#taken += this.#end;
    this.#at = 0;
    this.#end = this.#fill(this.#piece);
    return this.#end > 0;
  }
}
