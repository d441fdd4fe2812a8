// The look at each table of a run that the stages share: the first stage that needs some of it takes all that later ones will need, and leaves
// it on the disk. A stage that finds nothing left there looks for itself. Of a table that is larger than the disk some parts are looked at.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { FindingName, Looked, LookRequest } from '../look/request.ts';
import { type IngestPolicy, policyOf } from '../policy.ts';
import type { ReadLimits } from '../reading/types.ts';
import { type ParsedTable, received } from './outputs.ts';
import { freshFolder, requireDisk, withLocalParts } from './place.ts';
import { type Bounds, bytesIn, partsLookedAt, rowsIn } from './some-parts.ts';

export interface ScanDeps {
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

interface Table extends Pick<ParsedTable, 'columns' | 'parts'> {
  /** Its place in the file. */
  readonly index: number;
}

/** In the order of the stages that need them. */
const needed: readonly (readonly [FindingName, (keyof IngestPolicy['stages'])[]])[] = [
  ['values', ['pii', 'sample']],
  ['rows', ['sample']],
  ['profile', ['profile']],
  ['texts', ['describe']],
];

/** Whether a stage looks at values. */
export const looksAtValues = ({ stages }: IngestPolicy): boolean =>
  needed.some(([, by]) => by.some((stage) => stages[stage] !== 'off'));

/** How much of a table this run looks at. */
const boundsOf = ({ ref }: Pick<StageContext, 'ref'>, { lookBytes: bytes }: ReadLimits): Bounds => ({
  bytes,
  seed: ref.id,
});

/** Rows of a table that this run looks at; undefined where it looks at all of them. */
export const rowsOfLook = (
  ctx: Pick<StageContext, 'ref'>,
  limits: ReadLimits,
  { parts }: Pick<Table, 'parts'>,
): number | undefined => {
  const some = partsLookedAt(parts, boundsOf(ctx, limits));
  return some.length === parts.length ? undefined : rowsIn(some);
};

/** What is looked at of a table, on the local disk. */
type LocalRows = Pick<LookRequest, 'parquetPaths' | 'rowCount'>;

/** Calls `use` with the rows of a table that are looked at. Faults: INPUT_UNREADABLE, INGEST_DISK. */
export async function withPartsLookedAt<T>(
  ctx: StageContext,
  { objects, limits }: ScanDeps,
  parts: Table['parts'],
  use: (rows: LocalRows) => Promise<T>,
): Promise<T> {
  const bounds = boundsOf(ctx, limits);
  const some = partsLookedAt(parts, bounds);
  if (bytesIn(some) > bounds.bytes) await requireDisk(ctx, bytesIn(some));
  return withLocalParts(ctx, objects, some, (parquetPaths) => use({ parquetPaths, rowCount: rowsIn(some) }));
}

/** The finding of that name. The same whichever stage looks. */
export async function lookedAt<F extends FindingName>(
  ctx: StageContext,
  deps: ScanDeps,
  table: Table,
  finding: F,
): Promise<Looked[F]> {
  const folder = await ctx.folder();
  const pathOf = (name: FindingName): string => join(folder, `${name}-${table.index}.json`);
  const kept = await readFile(pathOf(finding), 'utf8').catch(() => undefined);
  if (kept !== undefined) return JSON.parse(kept) as Looked[F];
  const { stages } = policyOf((await ctx.outputOf(received)).policy);
  const from = needed.slice(needed.findIndex(([name]) => name === finding));
  const later = from.filter(([, by]) => by.some((stage) => stages[stage] !== 'off')).map(([name]) => name);
  const wanted = [...new Set([finding, ...later])];
  const found = await withPartsLookedAt(ctx, deps, table.parts, (rows) => {
    const own = { ...rows, columns: table.columns };
    const look = (names: readonly FindingName[]) => lookAt(ctx, deps.limits, own, new Set(names));
    return look(wanted).catch((thrown: unknown) => {
      // What another stage needs fails that stage.
      if (wanted.length === 1 || ctx.signal.aborted) throw thrown;
      ctx.log.warn('A look for several stages failed; each looks for itself.', { error: String(thrown) });
      wanted.length = 1;
      return look(wanted);
    });
  });
  for (const name of wanted) {
    await writeFile(`${pathOf(name)}.part`, JSON.stringify(found[name]));
    await rename(`${pathOf(name)}.part`, pathOf(name));
  }
  return found[finding];
}

async function lookAt(
  ctx: StageContext,
  limits: ReadLimits,
  table: Pick<LookRequest, 'parquetPaths' | 'columns' | 'rowCount'>,
  wanted: ReadonlySet<FindingName>,
): Promise<Looked> {
  const workDir = await freshFolder(ctx, 'look');
  const { signal } = ctx;
  // Loaded when it is needed: whoever only names the pipeline is deployed without the engine.
  const { lookAtTable } = await import('../look/look-at-table.ts');
  const found = await lookAtTable({ ...table, workDir, limits, signal, seed: ctx.ref.id, wanted });
  signal.throwIfAborted();
  return found;
}
