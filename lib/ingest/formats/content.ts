// What the first bytes of a file look like, whatever its name says.
import type { EncodingName } from './encoding/encodings.ts';
import { encodingOf } from './encoding/utf.ts';
import { type Foreign, foreignOf } from './foreign.ts';

type Binary = 'Parquet' | 'Arrow' | 'Avro';
export type Content = 'nothing' | 'text' | 'JSON array' | 'JSON object' | 'json scalar' | Binary | Foreign;

const noise: Foreign = {
  is: 'binary data of an unknown kind',
  then: 'upload the table as text or as Parquet',
};

/** More than one control character in fifty is no text; a NUL never is. */
function isNoise(bytes: Uint8Array): boolean {
  let controls = 0;
  for (const byte of bytes) {
    if (byte === 0) return true;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13) controls++;
  }
  return controls * 50 > bytes.length;
}

const html = /^(<!--[^]*?-->\s*)*<(!doctype\s+html|html|head|body|title|meta|script|style|table|div|center|h1|p)\b/i;
const page: Foreign = {
  is: 'an HTML page',
  then: 'it may be the error or the login page of a website, saved in place of the file: download the file again',
};
const oldXml: Foreign = { is: 'a workbook in the XML of Excel 2003', then: 'save it as XLSX' };
const xml: Foreign = { is: 'XML', then: 'save the table as CSV, JSON or Parquet' };

function textContent(text: string): Content {
  const start = text.trimStart();
  if (/^\[\s*(\{|\]|\[|"[^"]*"\s*[,\]]\s*|-?\d+(\.\d+)?\s*[,\]])/.test(start)) return 'JSON array';
  if (/^\{\s*("(\\.|[^"\\])*"\s*:|\})/.test(start)) return 'JSON object';
  if (/^("(\\.|[^"\\])*"|-?\d[\d.eE+-]*|true|false|null)\s*$/.test(start)) return 'json scalar';
  if (html.test(start)) return page;
  if (/^<\?xml/.test(start) && start.slice(0, 5000).includes('urn:schemas-microsoft-com:office:spreadsheet'))
    return oldXml;
  if (/^(<\?xml|<!doctype)/i.test(start)) return /<html/i.test(start.slice(0, 2000)) ? page : xml;
  return 'text';
}

/** An Arrow stream begins with a marker and the length of its schema; there are none of 16 MiB. */
const binaries: readonly (readonly [RegExp, Binary])[] = [
  [/^PAR1/, 'Parquet'],
  [/^(ARROW1\x00|\xff\xff\xff\xff[^]{3}\x00)/, 'Arrow'],
  [/^Obj\x01/, 'Avro'],
];
const BINARY_BYTES = 16;

/**
 * The kind of content by signature, noise and first characters. Text is judged leniently: its reader knows better. `said` is the encoding
 * that the caller says it is in, and is believed unless a byte order mark says otherwise.
 */
export function contentOf(head: Uint8Array, said?: EncodingName): Content {
  if (head.length === 0) return 'nothing';
  const first = Buffer.from(head.subarray(0, BINARY_BYTES)).toString('latin1');
  const binary = binaries.find(([magic]) => magic.test(first));
  if (binary !== undefined) return binary[1];
  const foreign = foreignOf(head);
  if (foreign !== undefined) return foreign;
  const { name, bomBytes } = encodingOf(head);
  const bytes = head.subarray(bomBytes, 65_536);
  const encoding = bomBytes > 0 ? name : (said ?? name);
  if (encoding === 'utf-16le' || encoding === 'utf-16be')
    return textContent(new TextDecoder(encoding).decode(bytes.subarray(0, bytes.length & ~1)));
  return isNoise(bytes) ? noise : textContent(Buffer.from(bytes).toString('utf8'));
}
