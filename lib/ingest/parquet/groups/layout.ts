// The row groups of a Parquet file by its footer: how many rows and bytes each has, and that no two of them share a byte.
import { setImmediate } from 'node:timers/promises';
import type { Stretch } from '../../chunks/plain.ts';
import { fileFields } from '../fields.ts';
import type { Footer } from '../footer.ts';
import { fieldsAt, itemsAt, readStruct, type Struct } from '../thrift.ts';
import { damaged, reading } from './damaged.ts';
import { type GroupPages, groupPages } from './pages.ts';

const EMPTY_LIST = Buffer.from([12]);

export interface Group {
  /** What the footer says of it: where that stands in the file. */
  readonly said: Stretch;
  readonly rows: number;
  /** Of its pages. */
  readonly bytes: number;
}

export interface GroupLayout {
  /** What of the footer stands before its row groups, and behind them; places in the file. */
  readonly before: Stretch;
  readonly behind: Stretch;
  readonly groups: readonly Group[];
  readonly rows: number;
}

/** The footer without row groups. Throws the Fault PARSE_ERROR. */
export const bareFooter = (before: Buffer, behind: Buffer): Struct =>
  reading(() => readStruct(Buffer.concat([before, EMPTY_LIST, behind])));

/** Stretches that follow each other are one. */
function joined({ columns }: GroupPages): Stretch[] {
  const sorted = columns.filter(({ start, end }) => start < end).sort((one, other) => one.start - other.start);
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of sorted) {
    const last = all.at(-1);
    if (last?.end === start) last.end = end;
    else all.push({ start, end });
  }
  return all;
}

function requireApart(stretches: Stretch[]): void {
  stretches.sort((one, other) => one.start - other.start);
  for (const [index, { start }] of stretches.entries())
    if (start < (stretches[index - 1]?.end ?? 0)) throw damaged(`two columns are to stand at the byte ${start}`);
}

const bytesOf = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { start, end }) => sum + end - start, 0);

/** Row groups that are looked at before others have a turn. */
const AT_ONCE = 64;

/** `columns`: how many each row group has. Throws the Fault PARSE_ERROR. */
export async function layoutOf({ bytes, start }: Footer, columns: number): Promise<GroupLayout> {
  const { rowGroups, before, behind, said } = reading(() => partsOf({ bytes, start }));
  const taken: Stretch[] = [];
  const groups: Group[] = [];
  for (const [index, span] of rowGroups.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
    const pages = reading(() => groupPages(readStruct(bytes.subarray(span.start, span.end)), start));
    if (pages.columns.length !== columns) throw damaged('a row group has another number of columns');
    const stretches = joined(pages);
    for (const stretch of stretches) taken.push(stretch);
    const place = { start: start + span.start, end: start + span.end };
    groups.push({ said: place, rows: pages.rows, bytes: bytesOf(stretches) });
  }
  requireApart(taken);
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  if (rows !== said) throw damaged(`the metadata promises ${said} rows, its row groups have ${rows}`);
  return { before, behind, groups, rows };
}

/** Where the list of row groups stands, and what stands around it. Throws a TypeError for what is no footer. */
function partsOf({ bytes, start }: Footer) {
  const fields = fieldsAt(bytes, 0);
  const list = fields.get(fileFields.rowGroups);
  const rows = fields.get(fileFields.rows);
  if (list === undefined || rows === undefined) throw damaged('the footer names no row groups');
  const before = { start, end: start + list.start };
  const behind = { start: start + list.end, end: start + bytes.length };
  const bare = readStruct(Buffer.concat([bytes.subarray(0, list.start), EMPTY_LIST, bytes.subarray(list.end)]));
  return {
    rowGroups: itemsAt(bytes, list.start),
    ...{ before, behind },
    said: Number(bare.get(fileFields.rows)?.value),
  };
}

/** The parts of a footer around its row groups. Throws the Fault PARSE_ERROR. */
export const aroundGroups = (footer: Footer): Pick<GroupLayout, 'before' | 'behind'> =>
  reading(() => {
    const { before, behind } = partsOf(footer);
    return { before, behind };
  });
