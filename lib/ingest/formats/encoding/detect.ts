// Which encoding a whole file is in: a byte order mark wins, then UTF-8 that is valid throughout, then what its bytes say.
import { Fault } from '../../../core/fault.ts';
import type { Warning } from '../../../core/warning.ts';
import { warn } from '../../warnings.ts';
import { type Bytes, bytesIn, fileBytes } from '../bytes.ts';
import { headOf } from '../head.ts';
import { lineIn } from '../place.ts';
import type { EncodingName } from './encodings.ts';
import { type Evidence, gatherEvidence } from './evidence.ts';
import { encodingOf, firstNotUtf8, inOneBuffer } from './utf.ts';

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

async function refuse(bytes: Bytes, notUtf8: number, { utf8 }: Evidence): Promise<Fault> {
  const line = await lineIn(bytes, notUtf8);
  const extra = { byteOffset: notUtf8, line };
  const [byte] = await bytesIn(bytes, notUtf8, notUtf8 + 1);
  const place = `Line ${line}: The byte 0x${(byte ?? 0).toString(16).padStart(2, '0')} at offset ${notUtf8}`;
  const mixed =
    utf8 < 0
      ? 'and the text looks like no other encoding that is found by itself'
      : `though the text at offset ${utf8} is: the file mixes encodings, is damaged, or is in one that is not found by itself`;
  return new Fault('ENCODING_INVALID', `${place} is not UTF-8, ${mixed}; ${advice}.`, { extra });
}

/** Of a text whose byte at `notUtf8` is the first that is not UTF-8. Throws the Fault ENCODING_INVALID with the place. */
export async function otherEncoding(bytes: Bytes, notUtf8: number, signal?: AbortSignal): Promise<DetectedEncoding> {
  const facts = await gatherEvidence(bytes(), signal);
  const name = guess(facts);
  if (name === undefined) throw await refuse(bytes, notUtf8, facts);
  return { name, bomBytes: 0, guessed: true, firstHigh: notUtf8 };
}

/** Reads the whole file. Throws the Fault ENCODING_INVALID with the place. */
export async function detectEncoding(path: string, signal?: AbortSignal): Promise<DetectedEncoding> {
  const byHead = encodingOf(await headOf(path));
  if (byHead.name !== 'utf-8' || byHead.bomBytes > 0) return byHead;
  const notUtf8 = await firstNotUtf8(inOneBuffer(path), signal);
  return notUtf8 < 0 ? byHead : otherEncoding(fileBytes(path), notUtf8, signal);
}

/** What the caller says, which is followed; only a byte order mark of another encoding stands against it. Throws the Fault OPTION_MISFIT. */
export function encodingAsSaid(head: Uint8Array, said: EncodingName): DetectedEncoding {
  const { name, bomBytes } = encodingOf(head);
  if (bomBytes === 0 || name === said) return { name: said, bomBytes, guessed: false };
  throw new Fault('OPTION_MISFIT', `The option encoding is ${said}; the byte order mark of the file is of ${name}.`, {
    extra: { option: 'encoding' },
  });
}

const AROUND = 200;

/** The text around the byte at `offset`, within its line, for a person to judge the encoding by. */
async function textAround(bytes: Bytes, offset: number, name: EncodingName): Promise<string> {
  const start = Math.max(0, offset - AROUND);
  const before = await bytesIn(bytes, start, offset);
  const lineStart = start + Math.max(before.lastIndexOf(10), before.lastIndexOf(13)) + 1;
  const [line = ''] = new TextDecoder(name).decode(await bytesIn(bytes, lineStart, offset + AROUND)).split(/[\r\n]/);
  const place = Math.max(0, line.search(/[^\0-\x7f]/) - 20);
  return line.slice(place, place + 40).trim();
}

/** What is to be said of an encoding: nothing where the file, or the caller, says it. */
export async function encodingWarnings(
  bytes: Bytes,
  { name, guessed, firstHigh }: DetectedEncoding,
): Promise<Warning[]> {
  if (!guessed) return [];
  const example = firstHigh === undefined ? undefined : await textAround(bytes, firstHigh, name);
  return [warn('ENCODING_GUESSED', { detail: `It is read as ${name}.`, example })];
}
