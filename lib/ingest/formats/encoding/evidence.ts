// What the lines of a text that is not UTF-8 say about its encoding: some of them, and behind that only whether UTF-8 is
// among them; the rest is proven by decoding. Bytes are looked at as characters of Latin-1, so that each pattern speaks of bytes.
import { inPiecesOf } from '../bytes.ts';
import { FREE_BYTE } from './encodings.ts';

export interface Evidence {
  /** Offset of the first character of several bytes that is UTF-8 beyond chance; -1: none. */
  readonly utf8: number;
  /** Bytes of such characters of three and four bytes. */
  readonly longUtf8: number;
  /** Bytes of 0x80 and above. */
  readonly high: number;
  /** Bytes that windows-1252 leaves undefined. */
  readonly undefined1252: number;
  /** High bytes that windows-1252 reads as what Latin text does not have: signs in words, capitals after small letters, long runs. */
  readonly odd1252: number;
  /** Bytes that do not fit Shift-JIS. */
  readonly misfitShiftJis: number;
  /** Bytes of characters of two bytes in Shift-JIS, and of those that are kana, punctuation or kanji of the first level, in a row. */
  readonly pairs: number;
  readonly everyday: number;
}

type Facts = { -readonly [K in keyof Evidence]: Evidence[K] };

const utf8Character = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;
const longUtf8 = /[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;
/** A capital with an accent and a closing sign behind it, in windows-1252, which are UTF-8 by chance. */
const byChance = /^[\xc2-\xdf][\x85\x92-\x94\x96\x97\x99\x9b\xa0\xab\xae\xbb]$/;
const high = /[\x80-\xff]/g;
const undefined1252 = /[\x81\x8d\x8f\x90\x9d]/g;
const letter = 'A-Za-z\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\xff';
const small = 'a-z\\xdf-\\xf6\\xf8-\\xff';
const capital = '\\x8a\\x8c\\x8e\\x9f\\xc0-\\xd6\\xd8-\\xde';
/** Signs but quotes, soft hyphens, middle dots and ordinals, which stand in words. */
const sign =
  '\\x80\\x82\\x84-\\x89\\x8b\\x93-\\x95\\x98\\x99\\x9b\\xa1-\\xa9\\xab\\xac\\xae-\\xb3\\xb5\\xb6\\xb8\\xb9\\xbb-\\xbf\\xd7\\xf7';
const odd1252 = new RegExp(
  `[\\x80-\\xff]{4,}|(?<=[${letter}])[${sign}](?=[${letter}])|(?<=[${small}])[${capital}](?=[${small}])`,
  'g',
);
/** In Shift-JIS: characters of two bytes in a row, others in a row, and what fits neither. */
const shiftJis = /((?:[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc])+)|[\x00-\x7f\xa1-\xdf]+|([^])/g;
const pair = /([^])[^]/g;
const everyday = /[\x81-\x83\x88-\x97]/g;

const lengthOf = (matches: Iterable<RegExpMatchArray>): number => {
  let length = 0;
  for (const [match] of matches) length += match.length;
  return length;
};

function judgeShiftJis(facts: Facts, line: string): void {
  for (const [, pairs = '', misfit = ''] of line.matchAll(shiftJis)) {
    facts.misfitShiftJis += misfit.length;
    facts.pairs += pairs.length;
    if (pairs.length > 2) facts.everyday += 2 * (pairs.replace(pair, '$1').match(everyday)?.length ?? 0);
  }
}

/** The first character that is UTF-8 beyond chance. */
function findUtf8(facts: Facts, text: string, offset: number): void {
  if (facts.utf8 >= 0) return;
  for (const { 0: character, index } of text.matchAll(utf8Character)) {
    if (byChance.test(character)) continue;
    facts.utf8 = offset + index;
    return;
  }
}

function judge(facts: Facts, line: string): void {
  facts.longUtf8 += lengthOf(line.matchAll(longUtf8));
  facts.high += lengthOf(line.matchAll(high));
  facts.undefined1252 += lengthOf(line.matchAll(undefined1252));
  facts.odd1252 += lengthOf(line.matchAll(odd1252));
  judgeShiftJis(facts, line);
}

/** Bytes of 0x80 and above after which a language is clear. */
const ENOUGH_BYTES = 1 << 18;
const MOST_PIECE_BYTES = 4 << 20;

/** How much of the text ends with a whole character. */
function wholeLength(text: string): number {
  for (let end = text.length; end > 0; end--) if (text.charCodeAt(end - 1) < FREE_BYTE) return end;
  return text.length > MOST_PIECE_BYTES ? text.length : 0;
}

/** The lines with bytes of 0x80 and above. */
function* highLines(text: string): Generator<string> {
  for (let from = 0; ; ) {
    const next = text.slice(from).search(high);
    if (next < 0) return;
    const before = text.slice(from, from + next);
    const start = from + Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
    const length = text.slice(start).search(/[\n\r]/);
    from = length < 0 ? text.length : start + length;
    yield text.slice(start, from);
  }
}

/** What is looked at together, wherever it comes from. */
const LOOK_BYTES = 1 << 18;

/** Reads a text from its start, to the end unless everything is said. */
export async function gatherEvidence(text: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<Evidence> {
  const facts: Facts = {
    ...{
      notUtf8: -1,
      utf8: -1,
      longUtf8: 0,
      high: 0,
      undefined1252: 0,
      odd1252: 0,
      misfitShiftJis: 0,
      pairs: 0,
      everyday: 0,
    },
  };
  let offset = 0;
  let rest = '';
  const eat = (stretch: string): void => {
    findUtf8(facts, stretch, offset);
    const lines = facts.high < ENOUGH_BYTES ? highLines(stretch) : [];
    for (const line of lines) judge(facts, line);
    offset += stretch.length;
  };
  for await (const piece of inPiecesOf(LOOK_BYTES, text)) {
    signal?.throwIfAborted();
    const known = rest + piece.toString('latin1');
    const end = wholeLength(known);
    eat(known.slice(0, end));
    rest = known.slice(end);
    if (facts.high >= ENOUGH_BYTES && facts.utf8 >= 0) return facts;
  }
  eat(rest);
  return facts;
}
