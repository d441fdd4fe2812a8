// What the first bytes of a file look like, whatever its name says.
import { encodingOf } from './encoding.ts';

export type Content =
  | 'nothing'
  | 'text'
  | 'JSON array'
  | 'JSON object'
  | 'json scalar'
  | 'Parquet'
  | `${string} (binary)`
  | 'HTML or XML';

const signatures: readonly (readonly [string, Content])[] = [
  ['PAR1', 'Parquet'],
  ['PARE', 'encrypted Parquet (binary)'],
  ['\x89PNG', 'PNG (binary)'],
  ['GIF8', 'GIF (binary)'],
  ['\xff\xd8\xff', 'JPEG (binary)'],
  ['%PDF', 'PDF (binary)'],
  ['PK\x03\x04', 'ZIP or XLSX (binary)'],
  ['\xd0\xcf\x11\xe0', 'XLS (binary)'],
  ['\x1f\x8b', 'gzip (binary)'],
  ['BZh', 'bzip2 (binary)'],
  ['\xfd7zXZ', 'xz (binary)'],
  ['\x28\xb5\x2f\xfd', 'zstd (binary)'],
  ['Obj\x01', 'Avro (binary)'],
  ['ORC\x01', 'ORC (binary)'],
  ['ARROW1', 'Arrow (binary)'],
  ['FEA1', 'Feather (binary)'],
  ['SQLite format 3', 'SQLite (binary)'],
  ['\x7fELF', 'a program (binary)'],
];

export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** More than one control character in fifty is no text; a NUL never is. */
function isNoise(bytes: Uint8Array): boolean {
  let controls = 0;
  for (const byte of bytes) {
    if (byte === 0) return true;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13) controls++;
  }
  return controls * 50 > bytes.length;
}

function textContent(text: string): Content {
  const start = text.trimStart();
  if (/^\[\s*(\{|\]|\[|"[^"]*"\s*[,\]]\s*|-?\d+(\.\d+)?\s*[,\]])/.test(start)) return 'JSON array';
  if (/^\{\s*("(\\.|[^"\\])*"\s*:|\})/.test(start)) return 'JSON object';
  if (/^("(\\.|[^"\\])*"|-?\d[\d.eE+-]*|true|false|null)\s*$/.test(start)) return 'json scalar';
  if (/^(<!doctype|<html|<\?xml)/i.test(start)) return 'HTML or XML';
  return 'text';
}

/** The kind of content by signature, noise and first characters. Text is judged leniently: its reader knows better. */
export function contentOf(head: Uint8Array): Content {
  if (head.length === 0) return 'nothing';
  const first = Buffer.from(head.subarray(0, 16)).toString('latin1');
  const signature = signatures.find(([magic]) => first.startsWith(magic));
  if (signature !== undefined) return signature[1];
  const encoding = encodingOf(head);
  const bytes = head.subarray(encoding.bomBytes, 65_536);
  if (encoding.name === 'utf-8')
    return isNoise(bytes) ? 'noise (binary)' : textContent(Buffer.from(bytes).toString('utf8'));
  return textContent(new TextDecoder(encoding.name).decode(bytes.subarray(0, bytes.length & ~1)));
}
