// Adding rows to a table that is published: the parts of both, as one list under types that keep the values of both.
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { SnapshotId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Manifest } from '../manifest-schema.ts';
import type { CombinedTable, LocalPart } from '../combine/combine.ts';
import { withPlace } from '../combine/misfit-place.ts';
import type { ReadLimits } from '../reading/types.ts';
import type { CombinedRows, ParsedTable, Received, ReceivedTable } from './outputs.ts';
import { newBytes } from '../usage.ts';
import { attemptKey, freshFolder, localCopy, putPart } from './place.ts';

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

type Part = Manifest['parts'][number];

/** Faults: COLUMN_MISFIT, KEY_INVALID, INPUT_UNREADABLE. */
export async function addRows(ctx: StageContext, deps: Deps, adding: Adding): Promise<CombinedRows> {
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
  const workDir = await freshFolder(ctx, 'combine');
  const [before, added] = [await here(ctx, deps, there.parts, 'before'), await here(ctx, deps, read.parts, 'added')];
  // Loaded when it is needed, as in the stages beside it.
  const { combineTables } = await import('../combine/combine.ts');
  const combined = await combineTables({
    before: { columns: there.columns, parts: before },
    added: { columns: read.columns, parts: added },
    keys: file.keys,
    workDir,
    limits: deps.limits,
    signal: ctx.signal,
  }).catch((thrown: unknown) => {
    throw withPlace(thrown, read.rejects);
  });
  ctx.signal.throwIfAborted();
  const { rowCount, replaced, warnings } = combined;
  const parts = await stored(ctx, deps, adding, combined);
  const more = { newBytes: newBytes(parts, base?.manifest.parts), warnings: [...warnings] };
  return { columns: [...combined.columns], rowCount, parts, replaced, ...more, ...common };
}

const rowsOf = ({ columns, parts, rowCount }: Manifest): Pick<ParsedTable, 'columns' | 'parts' | 'rowCount'> => ({
  columns: columns.map(({ name, type }) => ({ name, type })),
  parts,
  rowCount,
});

const isSame = (a: Manifest['columns'], b: ParsedTable['columns']): boolean =>
  a.length === b.length && a.every(({ name, type }, index) => b[index]?.name === name && b[index].type === type);

async function here(ctx: StageContext, { objects }: Deps, parts: readonly Part[], side: string): Promise<LocalPart[]> {
  const found: LocalPart[] = [];
  for (const [index, { key, rows }] of parts.entries())
    found.push({ path: await localCopy(ctx, objects, key, `${side}-${index}-${nameOf(key)}`), rows });
  return found;
}

const nameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

async function stored(
  ctx: StageContext,
  { objects }: Deps,
  { file, table, read, base }: Adding,
  { parts }: CombinedTable,
): Promise<Part[]> {
  const named: Part[] = [];
  const given = { before: base?.manifest.parts ?? [], added: read.parts };
  for (const part of parts) {
    if (part.kind === 'kept') {
      named.push(must(given[part.of][part.index], 'a part'));
      continue;
    }
    const key = attemptKey(ctx, file.dataset, table.table, `combined-${named.length}.parquet`);
    await putPart(objects, key, part.path, part.bytes);
    named.push({ key, bytes: part.bytes, rows: part.rows });
  }
  return named;
}

/** Throws the Fault OPTION_MISFIT where an upsert has no keys, or another mode has some. */
export function requireFittingKeys(mode: string, keys: readonly string[] | undefined): void {
  if ((mode === 'upsert') === (keys !== undefined)) return;
  const detail = mode === 'upsert' ? 'An upsert needs key columns: keys.' : 'Key columns are of mode upsert only.';
  throw new Fault('OPTION_MISFIT', detail, { extra: { option: 'keys' } });
}
