// The look at each table of a run that the stages share: the first stage that needs some of it takes all that later ones will need, and leaves
// it on the disk. A stage that finds nothing left there looks for itself.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { FindingName, Looked } from '../look/request.ts';
import { type IngestPolicy, policyOf } from '../policy.ts';
import type { ReadLimits } from '../reading/types.ts';
import { type ParsedTable, received } from './outputs.ts';
import { freshFolder, localParts } from './place.ts';

export interface ScanDeps {
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

interface Table extends Pick<ParsedTable, 'columns' | 'rowCount' | 'parts'> {
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
  const look = (names: readonly FindingName[]) => lookAt(ctx, deps, table, new Set(names));
  const wanted = [...new Set([finding, ...later])];
  const found = await look(wanted).catch((thrown: unknown) => {
    // What another stage needs fails that stage.
    if (wanted.length === 1 || ctx.signal.aborted) throw thrown;
    ctx.log.warn('A look for several stages failed; each looks for itself.', { error: String(thrown) });
    wanted.length = 1;
    return look(wanted);
  });
  for (const name of wanted) {
    await writeFile(`${pathOf(name)}.part`, JSON.stringify(found[name]));
    await rename(`${pathOf(name)}.part`, pathOf(name));
  }
  return found[finding];
}

async function lookAt(
  ctx: StageContext,
  { objects, limits }: ScanDeps,
  { columns, rowCount, parts, index }: Table,
  wanted: ReadonlySet<FindingName>,
): Promise<Looked> {
  const parquetPaths = (await localParts(ctx, objects, parts, index)).map(({ path }) => path);
  const workDir = await freshFolder(ctx, 'look');
  const { signal } = ctx;
  // Loaded when it is needed: whoever only names the pipeline is deployed without the engine.
  const { lookAtTable } = await import('../look/look-at-table.ts');
  const found = await lookAtTable({
    parquetPaths,
    columns,
    rowCount,
    workDir,
    limits,
    signal,
    seed: ctx.ref.id,
    wanted,
  });
  signal.throwIfAborted();
  await Promise.all(parquetPaths.map((path) => rm(path)));
  return found;
}
