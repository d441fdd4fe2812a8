// A large Parquet file planned by its footer alone, and planned anew where its values say more than its schema.
import { join } from 'node:path';
import { Fault } from '../../../core/fault.ts';
import type { StageContext } from '../../../pipeline/stage.ts';
import { freshFolder } from '../../stages/place.ts';
import type { ReadLimits } from '../../reading/types.ts';
import { adoptSchema, adoptSome } from '../adopt.ts';
import type { Loss } from '../loss.ts';
import { aroundGroups, type GroupLayout, layoutOf } from './layout.ts';
import { localGroups } from './local-groups.ts';
import { chunksOf } from './pack.ts';
import { type GroupsPlan, textsOf } from './plan.ts';
import { type Stored, storedFooter } from './stored-footer.ts';

interface Planning extends Stored {
  readonly limits: ReadLimits;
}

type Around = Pick<GroupLayout, 'before' | 'behind'>;

/** A file of the same schema without rows, and what it takes to adopt it. */
async function schemaFile(ctx: StageContext, { limits, ...stored }: Planning, { before, behind }: Around) {
  const workDir = await freshFolder(ctx, 'schema');
  const path = join(workDir, 'schema.parquet');
  const nothing = { said: { start: before.end, end: before.end }, groups: 0 };
  await localGroups({ ...stored, before, behind, signal: ctx.signal }, nothing, path);
  return { workDir, limits, signal: ctx.signal, path, target: join(workDir, 'table.parquet') };
}

/** Faults: PARSE_ERROR, FILE_TOO_LARGE, TOO_MANY_COLUMNS, UNSUPPORTED_SCHEMA, INPUT_UNREADABLE. */
export async function planGroups(ctx: StageContext, planning: Planning): Promise<GroupsPlan> {
  const { file, limits } = planning;
  const footer = await storedFooter(planning);
  const schema = await schemaFile(ctx, planning, aroundGroups(footer));
  const { columns, warnings, asText: decimals, leafCount } = await adoptSchema(schema);
  const { groups, rows, before, behind } = await layoutOf(footer, leafCount);
  const chunks = chunksOf({ groups, before }, limits);
  const { objectKey, size } = file;
  const common = { v: 1 as const, file: { objectKey, size }, before, behind };
  return { ...common, columns, decimals, losses: [], rows, chunks, warnings: [...warnings] };
}

/** The plan of the same file with all columns as text of which something would be lost. */
export async function withLosses(
  ctx: StageContext,
  planning: Planning,
  plan: GroupsPlan,
  losses: ReadonlyMap<number, Loss>,
): Promise<GroupsPlan> {
  const lost = [...losses].filter(([place]) => !plan.decimals.includes(place));
  const proven = { ...plan, losses: lost, proven: true };
  const schema = await schemaFile(ctx, planning, plan);
  const adopted = await adoptSome({ ...schema, rowsBefore: 0, asText: textsOf(proven), isProven: true });
  if (adopted.kind !== 'adopted') throw new Fault('INTERNAL', 'A file without rows loses values.');
  return { ...proven, columns: [...adopted.columns] };
}
