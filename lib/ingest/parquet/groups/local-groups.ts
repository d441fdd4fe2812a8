// Some row groups of a Parquet file in the object store, as a local file of their own: their bytes as they are, and a footer that names no others.
import { open } from 'node:fs/promises';
import { Fault } from '../../../core/fault.ts';
import type { Stretch } from '../../chunks/plain.ts';
import { fileFields } from '../fields.ts';
import { MAGIC, tailOf } from '../footer.ts';
import { readStructs, type Struct, type Value, writeStruct } from '../thrift.ts';
import { reading } from './damaged.ts';
import { bareFooter, type GroupLayout } from './layout.ts';
import { type GroupPages, groupPages, HEADER_BYTES, movedGroup } from './pages.ts';
import { type Stored, storedBytes } from './stored-footer.ts';

const [I64, LIST, STRUCT] = [6, 9, 12];
/** Bytes between two columns that are fetched with them: another request would take longer. */
const GAP_BYTES = 64 * 1024;

export interface GroupsAt extends Stored, Pick<GroupLayout, 'before' | 'behind'> {
  readonly signal: AbortSignal;
}

/** What the footer says of row groups that follow each other, and how many they are. */
export interface SomeGroups {
  readonly said: Stretch;
  readonly groups: number;
}

interface Placed extends Stretch {
  /** Where it begins in the local file. */
  readonly local: number;
}

/** What is fetched, and how much further on each column stands, by where it began. */
function placed(groups: readonly GroupPages[], end: number) {
  const columns = groups.flatMap((group) => group.columns).filter((pages) => pages.start < pages.end);
  columns.sort((one, other) => one.start - other.start);
  const stretches: { start: number; end: number; local: number }[] = [];
  const by = new Map<number, number>();
  for (const column of columns) {
    let last = stretches.at(-1);
    if (last === undefined || column.start - last.end > GAP_BYTES) {
      last = { ...column, local: last === undefined ? MAGIC.length : last.local + last.end - last.start };
      stretches.push(last);
    }
    last.end = Math.min(end, Math.max(last.end, column.end + HEADER_BYTES));
    by.set(column.start, last.local - last.start);
  }
  return { stretches: stretches as readonly Placed[], by };
}

/** A footer with these row groups alone. */
function footerWith(bare: Struct, groups: readonly Value[], rows: number): Buffer {
  const fields = new Map<number, Value>([
    [fileFields.rows, { type: I64, value: BigInt(rows) }],
    [fileFields.rowGroups, { type: LIST, value: { of: STRUCT, items: groups } }],
  ]);
  return writeStruct(new Map([...bare].map(([field, value]) => [field, fields.get(field) ?? value])));
}

/** Writes them to `path`; without any, a file of the same schema without rows. Faults: PARSE_ERROR, INPUT_UNREADABLE. */
export async function localGroups(at: GroupsAt, some: SomeGroups, path: string): Promise<void> {
  const { objects, file, before, behind, signal } = at;
  const bare = bareFooter(await storedBytes(at, before), await storedBytes(at, behind));
  const structs =
    some.groups === 0
      ? []
      : await storedBytes(at, some.said).then((said) => reading(() => readStructs(said, some.groups)));
  const pages = reading(() => structs.map((group) => groupPages(group, before.start)));
  const { stretches, by } = placed(pages, before.start);
  await using local = await open(path, 'w');
  await local.appendFile(MAGIC);
  for (const { start, end } of stretches)
    if (!(await objects.readInto(file.objectKey, local, { start, end, signal })))
      throw new Fault('INPUT_UNREADABLE', `The object ${file.objectKey} is gone.`);
  const rows = pages.reduce((sum, group) => sum + group.rows, 0);
  const moved = structs.map((group, index) => {
    const of = pages[index];
    if (of === undefined) throw new TypeError('a row group without pages');
    return movedGroup(group, of, (start) => by.get(start) ?? 0);
  });
  await local.appendFile(tailOf(footerWith(bare, moved, rows)));
}
