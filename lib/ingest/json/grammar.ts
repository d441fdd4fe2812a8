// The grammar of JSON (RFC 8259) over bytes, strict: it finds where values stand and of what kind they are, and leaves
// them as written, so that a number is never anything but its lexeme.
import type { Window } from '../formats/windows.ts';
import { byteAt, code, JsonProblem, numberEnd, stringEnd, type Text, wordEnd } from './lexemes.ts';
import { viewOf } from './words.ts';

export { code, incomplete, JsonProblem } from './lexemes.ts';

/** What values are, each called by its place here while records are read. */
export const kinds = ['string', 'number', 'boolean', 'null', 'nested'] as const;
export type Kind = (typeof kinds)[number];
export const [STRING, NUMBER, BOOLEAN, NULL, NESTED] = [0, 1, 2, 3, 4] as const;

export interface Cursor extends Text {
  bytes: Buffer;
  view: DataView;
  at: number;
  end: number;
  last: boolean;
  /** How many windows it has been in. */
  moves: number;
}

/** Over no bytes yet. */
export function newCursor(lines: Text['lines']): Cursor {
  const bytes = Buffer.alloc(0);
  return { bytes, view: viewOf(bytes), at: 0, end: 0, last: false, lines, moves: 0 };
}

/** Goes to the first byte of a window. */
export function moveTo(cursor: Cursor, { bytes, end, last }: Window): void {
  if (bytes !== cursor.bytes) cursor.view = viewOf(bytes);
  Object.assign(cursor, { bytes, at: 0, end, last, moves: cursor.moves + 1 });
}

const [TAB, LF, CR, SPACE, QUOTE, COMMA] = [9, 10, 13, 32, 34, 44] as const;
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [91, 93, 123, 125] as const;
const [LOWER_F, LOWER_N, LOWER_T] = [102, 110, 116] as const;
const MAX_DEPTH = 512;

/** Behind white space, as far as there are bytes. */
export function spaceEnd({ bytes, end, lines }: Text, from: number): number {
  const newline = lines === 'space' ? LF : SPACE;
  let at = from;
  for (; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte > SPACE || (byte !== SPACE && byte !== newline && byte !== CR && byte !== TAB)) break;
  }
  return at;
}

export function missing(at: number, character: number): JsonProblem {
  return new JsonProblem(at, `${JSON.stringify(String.fromCharCode(character))} is missing here.`);
}

/** Of `[…]` or `{…}`. */
function nestedEnd(text: Text, from: number, depth: number): number {
  const isObject = text.bytes[from] === OPEN_BRACE;
  const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET;
  let at = spaceEnd(text, from + 1);
  if (byteAt(text, at) === close) return at + 1;
  for (;;) {
    at = spaceEnd(text, at);
    if (isObject) at = valueStart(text, keyEnd(text, at));
    at = spaceEnd(text, valueEnd(text, at, depth + 1));
    const byte = byteAt(text, at);
    if (byte === close) return at + 1;
    if (byte !== COMMA) throw missing(at, COMMA);
    at++;
  }
}

export function keyEnd(text: Text, from: number): number {
  if (byteAt(text, from) !== QUOTE) throw new JsonProblem(from, 'a key in double quotes is missing here.');
  return stringEnd(text, from);
}

/** Behind the colon. */
export function valueStart(text: Text, from: number): number {
  const at = spaceEnd(text, from);
  if (byteAt(text, at) !== code(':')) throw missing(at, code(':'));
  return spaceEnd(text, at + 1);
}

export function valueEnd(text: Text, from: number, depth = 0): number {
  if (depth > MAX_DEPTH) throw new JsonProblem(from, `values are nested deeper than ${MAX_DEPTH} levels.`);
  switch (byteAt(text, from)) {
    case QUOTE:
      return stringEnd(text, from);
    case OPEN_BRACE:
    case OPEN_BRACKET:
      return nestedEnd(text, from, depth);
    case LOWER_T:
      return wordEnd(text, from, 'true');
    case LOWER_F:
      return wordEnd(text, from, 'false');
    case LOWER_N:
      return wordEnd(text, from, 'null');
    default:
      return numberEnd(text, from);
  }
}

const kindsByByte = new Uint8Array(256).fill(NUMBER);
kindsByByte[QUOTE] = STRING;
kindsByByte[OPEN_BRACE] = kindsByByte[OPEN_BRACKET] = NESTED;
kindsByByte[LOWER_T] = kindsByByte[LOWER_F] = BOOLEAN;
kindsByByte[LOWER_N] = NULL;

/** Of a value that begins with this byte. */
export const kindOf = (byte: number): number => kindsByByte[byte] as number;

/** The byte at the cursor; running out of bytes is incomplete, or a problem at the end of the file. */
export const peek = (cursor: Cursor): number => byteAt(cursor, cursor.at);

/** Passes over white space, as far as there are bytes. */
export function skipSpace(cursor: Cursor): void {
  cursor.at = spaceEnd(cursor, cursor.at);
}

/** Passes over a key and its colon; answers where the key ends. */
export function skipKey(cursor: Cursor): number {
  const end = keyEnd(cursor, cursor.at);
  cursor.at = valueStart(cursor, end);
  return end;
}
