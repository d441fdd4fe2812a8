// The grammar of JSON (RFC 8259) over bytes, strict: it finds where values stand and of what kind they are, and leaves
// them as written, so that a number is never anything but its lexeme.

export type Kind = 'string' | 'number' | 'boolean' | 'null' | 'nested';

export interface Cursor {
  bytes: Buffer;
  at: number;
  end: number;
  /** Nothing follows `end`. */
  last: boolean;
  /** Whether a line end is white space (JSON) or ends the record (NDJSON). */
  readonly lines: 'space' | 'records';
}

/** The bytes at hand end inside a value; more may follow. */
export const incomplete = new Error('incomplete');

/** The grammar is broken at a byte of the window. */
export class JsonProblem extends Error {
  readonly at: number;

  constructor(at: number, what: string) {
    super(what);
    this.at = at;
  }
}

const QUOTE = 34;
const BACKSLASH = 92;
const LF = 10;
const MAX_DEPTH = 512;

export const code = (character: string): number => character.charCodeAt(0);

/** The byte at the cursor; running out of bytes is incomplete, or a problem at the end of the file. */
export function peek(cursor: Cursor): number {
  if (cursor.at < cursor.end) return cursor.bytes[cursor.at] as number;
  if (!cursor.last) throw incomplete;
  throw new JsonProblem(cursor.at, 'the file ends inside a value.');
}

const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === 9 || byte === 13 || byte === LF;

/** Passes over white space, as far as there are bytes. */
export function skipSpace(cursor: Cursor): void {
  while (cursor.at < cursor.end && isSpace(cursor.bytes[cursor.at])) {
    if (cursor.bytes[cursor.at] === LF && cursor.lines === 'records') return;
    cursor.at++;
  }
}

function expect(cursor: Cursor, character: string): void {
  if (peek(cursor) !== code(character))
    throw new JsonProblem(cursor.at, `${JSON.stringify(character)} is missing here.`);
  cursor.at++;
}

export function skipString(cursor: Cursor): void {
  cursor.at++;
  for (;;) {
    const byte = peek(cursor);
    if (byte === QUOTE) break;
    if (byte < 32) throw new JsonProblem(cursor.at, 'a text holds a bare line end or control character.');
    cursor.at++;
    if (byte === BACKSLASH) skipEscape(cursor);
  }
  cursor.at++;
}

const escapes = new Set(Buffer.from('"\\/bfnrt'));
const isHex = (byte: number): boolean =>
  (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102);

function skipEscape(cursor: Cursor): void {
  const start = cursor.at - 1;
  const byte = peek(cursor);
  cursor.at++;
  if (escapes.has(byte)) return;
  if (byte !== code('u')) throw new JsonProblem(cursor.at - 1, 'there is no such escape.');
  const unit = skipHex(cursor);
  if (!isSurrogate(unit) || (isHigh(unit) && isLowNext(cursor))) return;
  throw new JsonProblem(start, 'a text holds half of a surrogate pair, which no encoding can write.');
}

const isSurrogate = (unit: number): boolean => unit >> 11 === 0xd800 >> 11;
const isHigh = (unit: number): boolean => unit < 0xdc00;

/** Passes over the escape of the second half of a pair, as far as it is one. */
function isLowNext(cursor: Cursor): boolean {
  for (const character of '\\u') {
    if (peek(cursor) !== code(character)) return false;
    cursor.at++;
  }
  const unit = skipHex(cursor);
  return isSurrogate(unit) && !isHigh(unit);
}

/** Passes over four hexadecimal digits and answers what they write. */
function skipHex(cursor: Cursor): number {
  let unit = 0;
  for (let digit = 0; digit < 4; digit++) {
    const byte = peek(cursor);
    if (!isHex(byte)) throw new JsonProblem(cursor.at, 'four hexadecimal digits are missing here.');
    unit = unit * 16 + ((byte & 15) + (byte > 57 ? 9 : 0));
    cursor.at++;
  }
  return unit;
}

function skipDigits(cursor: Cursor): void {
  const from = cursor.at;
  while (cursor.at < cursor.end) {
    const byte = cursor.bytes[cursor.at] as number;
    if (byte < 48 || byte > 57) break;
    cursor.at++;
  }
  const next = cursor.at < cursor.end || cursor.last;
  if (!next) throw incomplete;
  if (cursor.at === from) throw new JsonProblem(cursor.at, 'a digit is missing here.');
}

const at = (cursor: Cursor): number => (cursor.at < cursor.end ? (cursor.bytes[cursor.at] as number) : 0);

function skipNumber(cursor: Cursor): void {
  if (at(cursor) === code('-')) cursor.at++;
  if (peek(cursor) === code('0')) cursor.at++;
  else skipDigits(cursor);
  if (at(cursor) === code('.')) {
    cursor.at++;
    skipDigits(cursor);
  }
  if ((at(cursor) | 32) !== code('e')) return;
  cursor.at++;
  if (peek(cursor) === code('+') || peek(cursor) === code('-')) cursor.at++;
  skipDigits(cursor);
}

function skipWord(cursor: Cursor, word: string): void {
  for (const character of word) {
    if (peek(cursor) !== code(character)) throw new JsonProblem(cursor.at, 'this is no JSON value.');
    cursor.at++;
  }
}

/** Passes over `[…]` or `{…}`, calling `item` at the start of each. */
export function skipList(cursor: Cursor, close: ']' | '}', item: () => void): void {
  cursor.at++;
  skipSpace(cursor);
  if (peek(cursor) === code(close)) {
    cursor.at++;
    return;
  }
  for (;;) {
    skipSpace(cursor);
    item();
    skipSpace(cursor);
    if (peek(cursor) === code(close)) break;
    expect(cursor, ',');
  }
  cursor.at++;
}

/** Passes over a key and its colon; answers where the key ends. */
export function skipKey(cursor: Cursor): number {
  if (peek(cursor) !== QUOTE) throw new JsonProblem(cursor.at, 'a key in double quotes is missing here.');
  skipString(cursor);
  const end = cursor.at;
  skipSpace(cursor);
  expect(cursor, ':');
  skipSpace(cursor);
  return end;
}

/** Passes over one value and answers its kind. */
export function skipValue(cursor: Cursor, depth = 0): Kind {
  if (depth > MAX_DEPTH) throw new JsonProblem(cursor.at, `values are nested deeper than ${MAX_DEPTH} levels.`);
  switch (String.fromCharCode(peek(cursor))) {
    case '"':
      skipString(cursor);
      return 'string';
    case '{':
      skipList(cursor, '}', () => {
        skipKey(cursor);
        skipValue(cursor, depth + 1);
      });
      return 'nested';
    case '[':
      skipList(cursor, ']', () => skipValue(cursor, depth + 1));
      return 'nested';
    case 't':
      skipWord(cursor, 'true');
      return 'boolean';
    case 'f':
      skipWord(cursor, 'false');
      return 'boolean';
    case 'n':
      skipWord(cursor, 'null');
      return 'null';
    default:
      skipNumber(cursor);
      return 'number';
  }
}
