// The table of contents of an XLSX workbook: its sheets in the order of their tabs, where each stands, and how it counts days.
import { posix } from 'node:path';
import type { DateSystem } from '../cells/serials.ts';
import { damaged, type Package, readXml } from '../package/parts.ts';
import type { SheetInfo } from '../types.ts';
import { attributesOf } from '../xml/text.ts';

export interface BookSheet extends SheetInfo {
  readonly part: string;
}

export interface Book {
  /** Those with cells; charts and dialogs that have a tab of their own are none. */
  readonly sheets: readonly BookSheet[];
  readonly dates: DateSystem;
  readonly stringsPart: string | undefined;
  readonly stylesPart: string | undefined;
}

interface Relation {
  /** The last part of its type: `worksheet`, `styles`, … */
  readonly type: string;
  readonly target: string;
}

type XmlOptions = { readonly maxTokenCharacters: number };
const nothing = (): void => undefined;

async function eachTag(
  source: Package,
  part: string,
  options: XmlOptions,
  visit: (name: string, attributes: ReturnType<typeof attributesOf>) => void,
): Promise<void> {
  const open = (name: string, raw: string): void => visit(name, attributesOf(raw));
  await readXml(source, part, { open, close: nothing, text: nothing, literal: nothing }, options);
}

/** The relations of a part by id, with targets from the root of the package. */
async function relationsOf(source: Package, part: string, options: XmlOptions): Promise<Map<string, Relation>> {
  const folder = posix.dirname(part);
  const list = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  const relations = new Map<string, Relation>();
  if (!source.has(list)) return relations;
  await eachTag(source, list, options, (name, { Id: id, Type: type = '', Target: target, TargetMode: mode }) => {
    if (name !== 'Relationship' || id === undefined || target === undefined || mode === 'External') return;
    const slashed = target.replaceAll('\\', '/');
    const path = slashed.startsWith('/') ? slashed.slice(1) : posix.join(folder, slashed);
    relations.set(id, { type: type.slice(type.lastIndexOf('/') + 1), target: path });
  });
  return relations;
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true' || value === 'on';

/** The part that is the workbook, or undefined where the package is another kind of document. */
async function mainPart(source: Package, options: XmlOptions): Promise<string | undefined> {
  const relations = await relationsOf(source, '', options);
  const named = [...relations.values()].find(({ type }) => type === 'officeDocument')?.target;
  return [named, 'xl/workbook.xml'].find((part) => part !== undefined && source.has(part));
}

/** Throws PARSE_ERROR for a workbook whose parts do not fit together. */
export async function readBook(source: Package, options: XmlOptions): Promise<Book> {
  const main = await mainPart(source, options);
  if (main === undefined) throw damaged('it has no list of sheets');
  const relations = await relationsOf(source, main, options);
  const sheets: BookSheet[] = [];
  let dates: DateSystem = 1900;
  await eachTag(source, main, options, (tag, { name = '', state, id, date1904 }) => {
    if (tag === 'workbookPr' && isTrue(date1904)) dates = 1904;
    // A module of Visual Basic stands among the sheets, and has no part.
    if (tag !== 'sheet' || id === '') return;
    const relation = relations.get(id ?? '');
    if (relation === undefined) throw damaged(`the sheet ${JSON.stringify(name)} stands nowhere`);
    const isHidden = state === 'hidden' || state === 'veryHidden';
    if (relation.type === 'worksheet') sheets.push({ name, isHidden, part: relation.target });
  });
  const partOf = (type: string): string | undefined => {
    const target = [...relations.values()].find((relation) => relation.type === type)?.target;
    return target !== undefined && source.has(target) ? target : undefined;
  };
  return { sheets, dates, stringsPart: partOf('sharedStrings'), stylesPart: partOf('styles') };
}
