// The text of an XML part, piece by piece: UTF-8, or UTF-16 where a byte order mark says so. Bytes that do not fit are refused.
import { isAscii, isUtf8 } from 'node:buffer';
import { encodingOf, openEnd } from '../../formats/encoding/utf.ts';
import { XmlProblem } from './reader.ts';

function utf8Decoder(): (bytes: Buffer, last: boolean) => string {
  let kept = Buffer.alloc(0);
  return (more, last) => {
    const bytes = kept.length === 0 ? more : Buffer.concat([kept, more]);
    const end = last ? bytes.length : bytes.length - openEnd(bytes);
    kept = Buffer.from(bytes.subarray(end));
    const whole = bytes.subarray(0, end);
    if (isAscii(whole)) return whole.toString('latin1');
    if (!isUtf8(whole)) throw new XmlProblem('it holds bytes that are not UTF-8');
    return whole.toString('utf8');
  };
}

function utf16Decoder(name: 'utf-16le' | 'utf-16be'): (bytes: Buffer, last: boolean) => string {
  const decoder = new TextDecoder(name, { fatal: true });
  return (bytes, last) => {
    try {
      return decoder.decode(bytes, { stream: !last });
    } catch {
      throw new XmlProblem('it holds bytes that are not UTF-16');
    }
  };
}

/** The declaration may name an encoding; what is not UTF-8 then would be read as something else. */
function requireReadable(text: string): void {
  const said = /^<\?xml[^>]*encoding\s*=\s*["']([^"']*)["']/.exec(text)?.[1];
  if (said !== undefined && !/^(utf-?8|us-ascii|utf-?16(le|be)?)$/i.test(said))
    throw new XmlProblem(`it says to be in ${said.slice(0, 30)}`);
}

/** Decodes the pieces of one part; the last call has no bytes. */
export function xmlDecoder(): (bytes: Buffer, last: boolean) => string {
  let decode: ((bytes: Buffer, last: boolean) => string) | undefined;
  return (bytes, last) => {
    if (decode !== undefined) return decode(bytes, last);
    const { name, bomBytes } = encodingOf(bytes);
    decode = name === 'utf-8' ? utf8Decoder() : utf16Decoder(name);
    const text = decode(bytes.subarray(name === 'utf-8' ? bomBytes : 0), last);
    requireReadable(text);
    return text;
  };
}
