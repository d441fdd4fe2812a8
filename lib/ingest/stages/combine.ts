// Adding rows to a table that is published: the parts of both, as one list under types that keep the values of both.
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { SnapshotId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Manifest } from '../catalog.ts';
import type { CombinedTable, LocalPart } from '../combine/combine.ts';
import type { ReadLimits } from '../reading/types.ts';
import type { CombinedRows, ParsedTable, Received, ReceivedTable } from './outputs.ts';
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
  readonly base: Base;
}

type Part = Manifest['parts'][number];

/** Faults: COLUMN_MISFIT, KEY_INVALID, INPUT_UNREADABLE. */
export async function addRows(ctx: StageContext, deps: Deps, adding: Adding): Promise<CombinedRows> {
  const { file, read, base } = adding;
  const { manifest, snapshot } = base;
  const common = { base: snapshot, added: read.rowCount };
  if (file.mode === 'append' && isSame(manifest.columns, read.columns)) {
    const parts = [...manifest.parts, ...read.parts];
    const { columns } = read;
    return { columns, rowCount: manifest.rowCount + read.rowCount, parts, warnings: [], replaced: 0, ...common };
  }
  const workDir = await freshFolder(ctx, 'combine');
  const [before, added] = [
    await here(ctx, deps, manifest.parts, 'before'),
    await here(ctx, deps, read.parts, 'added'),
  ];
  // Loaded when it is needed, as in the stages beside it.
  const { combineTables } = await import('../combine/combine.ts');
  const combined = await combineTables({
    before: { columns: manifest.columns, parts: before },
    added: { columns: read.columns, parts: added },
    keys: file.keys,
    workDir,
    limits: deps.limits,
    signal: ctx.signal,
  });
  ctx.signal.throwIfAborted();
  const { columns, rowCount, replaced, warnings } = combined;
  const parts = await stored(ctx, deps, adding, combined);
  return { columns: [...columns], rowCount, parts, replaced, warnings: [...warnings], ...common };
}

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
  const given = { before: base.manifest.parts, added: read.parts };
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

/** Of an upsert into nothing, the rows have to be told apart as well. Throws the Fault KEY_INVALID. */
export async function requireOwnKeys(ctx: StageContext, deps: Deps, file: Received, read: ParsedTable): Promise<void> {
  if (file.keys === undefined) return;
  const parts = await here(ctx, deps, read.parts, 'added');
  const workDir = await freshFolder(ctx, 'combine');
  const { combineTables } = await import('../combine/combine.ts');
  const added = { columns: read.columns, parts };
  const before = { columns: read.columns, parts: [] };
  await combineTables({ before, added, keys: file.keys, workDir, limits: deps.limits, signal: ctx.signal });
}

/** Throws the Fault OPTION_MISFIT where an upsert has no keys, or another mode has some. */
export function requireFittingKeys(mode: string, keys: readonly string[] | undefined): void {
  if ((mode === 'upsert') === (keys !== undefined)) return;
  const detail = mode === 'upsert' ? 'An upsert needs key columns: keys.' : 'Key columns are of mode upsert only.';
  throw new Fault('OPTION_MISFIT', detail, { extra: { option: 'keys' } });
}
