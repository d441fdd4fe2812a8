// Texts as the bytes of the encodings that are read, by asking the decoders of the platform for every byte.
import * as fc from 'fast-check';
import type { EncodingName } from '../../../../lib/ingest/formats/encoding/encodings.ts';

/** What each character is in an encoding of one or two bytes, by asking for every byte. */
function table(label: string, fits: (text: string) => boolean): Map<string, Buffer> {
  const decoder = new TextDecoder(label, { fatal: true });
  const codes = new Map<string, Buffer>();
  const ask = (bytes: Buffer): void => {
    try {
      const text = decoder.decode(bytes);
      if (Array.from(text).length === 1 && fits(text) && !codes.has(text)) codes.set(text, bytes);
    } catch {
      // No character.
    }
  };
  for (let byte = 0x80; byte < 0x100; byte++) ask(Buffer.of(byte));
  if (label === 'shift_jis')
    for (let lead = 0x81; lead < 0xfd; lead++)
      for (let trail = 0x40; trail < 0xfd; trail++) ask(Buffer.of(lead, trail));
  // Whatever a decoder says of them, ASCII is ASCII.
  for (let byte = 0; byte < 0x80; byte++) codes.set(String.fromCharCode(byte), Buffer.of(byte));
  return codes;
}

const latin = new Map(Array.from({ length: 256 }, (_, byte) => [String.fromCharCode(byte), Buffer.of(byte)]));
export const codes: Partial<Record<EncodingName, Map<string, Buffer>>> = {
  'iso-8859-1': latin,
  'windows-1252': table('windows-1252', (text) => !/[\x80-\x9f]/.test(text)),
  shift_jis: table('shift_jis', (text) => !/[\x80-\x9f]/.test(text)),
};

export function encode(text: string, name: EncodingName): Buffer {
  const known = codes[name];
  if (known !== undefined)
    return Buffer.concat(Array.from(text, (character) => known.get(character) ?? missing(character)));
  if (name === 'utf-8') return Buffer.from(text);
  const bytes = Buffer.from(text, 'utf16le');
  return name === 'utf-16le' ? bytes : bytes.swap16();
}

export const charactersOf = (name: EncodingName): fc.Arbitrary<string> => {
  const known = codes[name];
  return known === undefined
    ? fc.string({ unit: 'grapheme', maxLength: 60 })
    : fc.string({ unit: fc.constantFrom(...known.keys()), maxLength: 60 });
};

function missing(character: string): never {
  throw new Error(`The encoding has no ${JSON.stringify(character)}.`);
}
