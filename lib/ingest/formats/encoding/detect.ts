// Which encoding a whole file is in: a byte order mark wins, then UTF-8 that is valid throughout, then what its bytes say.
import { Fault } from '../../../core/fault.ts';
import { bytesAt, headOf } from '../head.ts';
import { lineAt } from '../place.ts';
import type { EncodingName } from './encodings.ts';
import { type Evidence, gatherEvidence } from './evidence.ts';
import { encodingOf, firstNotUtf8 } from './utf.ts';

export interface DetectedEncoding {
  readonly name: EncodingName;
  readonly bomBytes: number;
  /** Nothing in the file says so; its bytes look like it. */
  readonly guessed: boolean;
  /** Of what had to be guessed: the first byte that made it so. */
  readonly firstHigh?: number;
}

/** The largest share of bytes that may be odd for windows-1252. */
const ODD_SHARE = 0.05;
/** The largest share of damaged bytes: fewer do not hide what a text is, and its decoder then names their place. */
const DAMAGED_SHARE = 0.05;
/** Of the pairs of Shift-JIS: the smallest share that are everyday ones, and the largest that look like UTF-8. */
const EVERYDAY_SHARE = 0.7;
const LONG_UTF8_SHARE = 0.35;

/** The encoding that the evidence is for, or undefined where it is for none or the bytes of a part are of another. */
function guess(facts: Evidence): EncodingName | undefined {
  const { high, pairs, everyday } = facts;
  const japanese = everyday >= EVERYDAY_SHARE * pairs && facts.longUtf8 <= LONG_UTF8_SHARE * pairs;
  const fits = facts.misfitShiftJis <= DAMAGED_SHARE * pairs;
  if (fits && pairs > 0 && japanese) return 'shift_jis';
  const latin = facts.undefined1252 <= DAMAGED_SHARE * high && facts.odd1252 <= ODD_SHARE * high;
  return latin && facts.utf8 < 0 ? 'windows-1252' : undefined;
}

const advice = 'say its encoding, or save it as UTF-8';

async function refuse(path: string, notUtf8: number, { utf8 }: Evidence): Promise<Fault> {
  const line = await lineAt(path, notUtf8);
  const extra = { byteOffset: notUtf8, line };
  const [byte] = await bytesAt(path, notUtf8, 1);
  const place = `Line ${line}: The byte 0x${(byte ?? 0).toString(16).padStart(2, '0')} at offset ${notUtf8}`;
  const mixed =
    utf8 < 0
      ? 'and the text looks like no other encoding that is found by itself'
      : `though the text at offset ${utf8} is: the file mixes encodings, is damaged, or is in one that is not found by itself`;
  return new Fault('ENCODING_INVALID', `${place} is not UTF-8, ${mixed}; ${advice}.`, { extra });
}

/** Reads the whole file. Throws the Fault ENCODING_INVALID with the place. */
export async function detectEncoding(path: string, signal?: AbortSignal): Promise<DetectedEncoding> {
  const byHead = encodingOf(await headOf(path));
  if (byHead.name !== 'utf-8' || byHead.bomBytes > 0) return byHead;
  const notUtf8 = await firstNotUtf8(path, signal);
  if (notUtf8 < 0) return byHead;
  const facts = await gatherEvidence(path, signal);
  const name = guess(facts);
  if (name === undefined) throw await refuse(path, notUtf8, facts);
  return { name, bomBytes: 0, guessed: true, firstHigh: notUtf8 };
}

const AROUND = 200;

/** The text around the byte at `offset`, within its line, for a person to judge the encoding by. */
export async function textAround(path: string, offset: number, name: EncodingName): Promise<string> {
  const start = Math.max(0, offset - AROUND);
  const before = (await bytesAt(path, start, Math.max(1, offset - start))).subarray(0, offset - start);
  const lineStart = Math.max(before.lastIndexOf(10), before.lastIndexOf(13)) + 1;
  const bytes = await bytesAt(path, start + lineStart, offset - start - lineStart + AROUND);
  const [line = ''] = new TextDecoder(name).decode(bytes).split(/[\r\n]/);
  const place = Math.max(0, line.search(/[^\0-\x7f]/) - 20);
  return line.slice(place, place + 40).trim();
}
