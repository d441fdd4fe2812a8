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
