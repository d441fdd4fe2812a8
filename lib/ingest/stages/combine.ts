// Adding rows to a table that is published: the parts of both, as one list under types that keep the values of both.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../../core/remove-folder.ts';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { SnapshotId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Manifest } from '../manifest-schema.ts';
import type { CombinedTable, Written } from '../combine/combine.ts';
import { withPlace } from '../combine/misfit-place.ts';
import type { Keep, Part, StoredTable } from '../combine/side.ts';
import type { ReadLimits } from '../reading/types.ts';
import type { CombinedRows, ParsedTable, Received, ReceivedTable } from './outputs.ts';
import { newBytes } from '../usage.ts';
import { comeInTurn, partsInTurn } from './parts-in-turn.ts';
import { attemptKey, freshFolder, putPart } from './place.ts';

interface Deps {
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

/** What is published of the table when the rows are added. */
export interface Base {
  readonly snapshot: SnapshotId;
  readonly manifest: Manifest;
}

interface Adding {
  readonly file: Received;
  readonly table: ReceivedTable;
  readonly read: ParsedTable;
  /** Absent where nothing is published. */
  readonly base: Base | undefined;
}

const hereAtOnce: Keep = (_name, work) => work();

/** Adds rows to a table of which not all parts fit on the disk at once: a step some parts. Undefined for any other table, and where none is read. */
export async function addRowsInSteps(
  ctx: StageContext,
  deps: Deps,
  { step, ...adding }: Adding & { readonly step: StageContext['step'] },
): Promise<CombinedRows | undefined> {
  const { file, table, read, base } = adding;
  const before = base?.manifest ?? { columns: [], parts: [] };
  if (file.mode === 'append' && isSame(before.columns, read.columns)) return undefined;
  if (!comeInTurn([...before.parts, ...read.parts], deps.limits.combineBytes)) return undefined;
  const keep: Keep = (name, work) => step(`combine ${table.table} ${base?.snapshot ?? ''} ${name}`, work);
  return addRows(ctx, deps, adding, keep);
}

/** Faults: COLUMN_MISFIT, KEY_INVALID, INPUT_UNREADABLE, INGEST_DISK. */
export async function addRows(
  ctx: StageContext,
  deps: Deps,
  adding: Adding,
  keep: Keep = hereAtOnce,
): Promise<CombinedRows> {
  const { file, read, base } = adding;
  const there = base === undefined ? { ...read, parts: [], rowCount: 0 } : rowsOf(base.manifest);
  const common = { ...(base && { base: base.snapshot }), added: read.rowCount };
  if (file.mode === 'append' && isSame(there.columns, read.columns)) {
    const parts = [...there.parts, ...read.parts];
    const rowCount = there.rowCount + read.rowCount;
    return {
      columns: read.columns,
      rowCount,
      parts,
      warnings: [],
      replaced: 0,
      newBytes: newBytes(read.parts),
      ...common,
    };
  }
  const combined = await combine(ctx, deps, adding, { before: there, keep }).catch((thrown: unknown) => {
    throw withPlace(thrown, read.rejects);
  });
  ctx.signal.throwIfAborted();
  const { columns, rowCount, parts, replaced, warnings } = combined;
  const more = { newBytes: newBytes(parts, base?.manifest.parts), warnings: [...warnings] };
  return { columns: [...columns], rowCount, parts: [...parts], replaced, ...more, ...common };
}

const FOLDER = 'combine';

/** Leaves nothing on the disk. */
async function combine(
  ctx: StageContext,
  { objects, limits }: Deps,
  { file, table, read: added }: Adding,
  { before, keep }: { readonly before: StoredTable; readonly keep: Keep },
): Promise<CombinedTable> {
  const workDir = await freshFolder(ctx, FOLDER);
  await mkdir(join(workDir, 'parts'));
  const all = [...before.parts, ...added.parts];
  const places = new Map(all.map(({ key }, place) => [key, place]));
  const put = async ({ path, bytes, rows, of }: Written): Promise<Part> => {
    // By its place: who goes on where another stopped gives no name twice.
    const name = `combined-${must(places.get(of.key), 'a part that is read')}.parquet`;
    const key = attemptKey(ctx, file.dataset, table.table, name);
    await putPart(objects, key, path, bytes);
    return { key, bytes, rows };
  };
  const fetching = { objects, bytes: limits.combineBytes, all, folder: join(FOLDER, 'parts'), keep };
  try {
    // Loaded when it is needed, as in the stages beside it.
    const { combineTables } = await import('../combine/combine.ts');
    return await combineTables({
      ...{ before, added, keys: file.keys, someAtATime: partsInTurn(ctx, fetching), put, keep },
      ...{ workDir, limits, signal: ctx.signal },
    });
  } finally {
    await removeFolder(workDir);
  }
}

const rowsOf = ({ columns, parts, rowCount }: Manifest): Pick<ParsedTable, 'columns' | 'parts' | 'rowCount'> => ({
  columns: columns.map(({ name, type }) => ({ name, type })),
  parts,
  rowCount,
});

const isSame = (a: Manifest['columns'], b: ParsedTable['columns']): boolean =>
  a.length === b.length && a.every(({ name, type }, index) => b[index]?.name === name && b[index].type === type);

/** Throws the Fault OPTION_MISFIT where an upsert has no keys, or another mode has some. */
export function requireFittingKeys(mode: string, keys: readonly string[] | undefined): void {
  if ((mode === 'upsert') === (keys !== undefined)) return;
  const detail = mode === 'upsert' ? 'An upsert needs key columns: keys.' : 'Key columns are of mode upsert only.';
  throw new Fault('OPTION_MISFIT', detail, { extra: { option: 'keys' } });
}
