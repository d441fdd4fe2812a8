// The styles of an XLSX workbook, as far as they say what a number stands for: a number format for each.
import { formatById, type NumberFormat, general } from '../cells/formats.ts';
import { type Package, readXml } from '../package/parts.ts';
import { attributesOf } from '../xml/text.ts';

const nothing = (): void => undefined;

/** The format of each style by its number; a workbook without styles has none, and all its numbers are just that. */
export async function readStyles(
  source: Package,
  part: string | undefined,
  options: { readonly maxTokenCharacters: number },
): Promise<(style: number) => NumberFormat> {
  if (part === undefined) return () => general;
  const codes = new Map<number, string>();
  const ids: number[] = [];
  let isCellFormats = false;
  const open = (name: string, raw: string): void => {
    if (name === 'cellXfs') isCellFormats = true;
    if (name !== 'numFmt' && !(name === 'xf' && isCellFormats)) return;
    const { numFmtId = '0', formatCode } = attributesOf(raw);
    if (name === 'xf') ids.push(Number(numFmtId));
    else if (formatCode !== undefined) codes.set(Number(numFmtId), formatCode);
  };
  const close = (name: string): void => {
    if (name === 'cellXfs') isCellFormats = false;
  };
  await readXml(source, part, { open, close, text: nothing, literal: nothing }, options);
  const formats = ids.map((id) => formatById(id, codes.get(id)));
  return (style) => formats[style] ?? general;
}
