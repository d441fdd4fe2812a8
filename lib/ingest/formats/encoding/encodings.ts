// The encodings that are read, and how the bytes of each become text, exactly or not at all.

/** As the WHATWG names them; `iso-8859-1` is Latin-1 itself, with the control characters of its upper half. */
export const encodingNames = ['utf-8', 'utf-16le', 'utf-16be', 'iso-8859-1', 'windows-1252', 'shift_jis'] as const;
export type EncodingName = (typeof encodingNames)[number];

/** The next bytes as text; none at the end. Throws a TypeError where the bytes do not fit. */
export type Decode = (bytes?: Uint8Array) => string;

const latin1: Decode = (bytes) => Buffer.from(bytes ?? []).toString('latin1');

const UNDEFINED_1252 = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
/** ICU turns these three control characters of Shift-JIS round, as IBM's code page did; a file means them as they are. */
const turned: Readonly<Record<string, string>> = { '\x1c': '\x1a', '\x7f': '\x1c', '\x1a': '\x7f' };

function byTextDecoder(name: EncodingName): Decode {
  const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: true });
  return (bytes) => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
}

function windows1252(): Decode {
  const decode = byTextDecoder('windows-1252');
  return (bytes) => {
    if (bytes !== undefined && UNDEFINED_1252.some((byte) => bytes.includes(byte)))
      throw new TypeError('windows-1252 leaves the byte undefined');
    return decode(bytes);
  };
}

function shiftJis(): Decode {
  const decode = byTextDecoder('shift_jis');
  return (bytes) => decode(bytes).replace(/[\x1a\x1c\x7f]/g, (control) => turned[control] ?? control);
}

/** A decoder that keeps the rest of a character between calls. */
export function decoderOf(name: EncodingName): Decode {
  if (name === 'iso-8859-1') return latin1;
  if (name === 'windows-1252') return windows1252();
  return name === 'shift_jis' ? shiftJis() : byTextDecoder(name);
}

/** Bytes below this are never a part of a character of several bytes, in any encoding that is looked for by its bytes. */
export const FREE_BYTE = 0x40;

const isHighSurrogate = (high: number): boolean => high >= 0xd8 && high <= 0xdb;

/**
 * Where, at the place `from` or behind it, one character surely ends and the next begins; -1 where no place among the bytes shows it. `offset` is where
 * the bytes stand in the text.
 */
export function boundaryIn(name: EncodingName, bytes: Uint8Array, from: number, offset: number): number {
  const isOne = (place: number): boolean => {
    if (name === 'iso-8859-1' || name === 'windows-1252') return true;
    if (!name.startsWith('utf-16')) return (bytes[place - 1] ?? FREE_BYTE) < FREE_BYTE;
    const high = bytes[place - (name === 'utf-16le' ? 1 : 2)];
    return (offset + place) % 2 === 0 && high !== undefined && !isHighSurrogate(high);
  };
  for (let place = from; place <= bytes.length; place++) if (isOne(place)) return place;
  return -1;
}
