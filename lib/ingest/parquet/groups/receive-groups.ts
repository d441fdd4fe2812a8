// A large Parquet file, received: hashed as it lies in the store, and planned by its footer.
import { join } from 'node:path';
import type { StageContext } from '../../../pipeline/stage.ts';
import { writeOnce } from '../../../pipeline/write-once.ts';
import { inRuns } from '../../chunks/in-runs.ts';
import { fetchStretch, storedPlain } from '../../chunks/plain.ts';
import type { Looked, Receiving } from '../../chunks/receiving.ts';
import { detectFile } from '../../formats/detect.ts';
import { requireFitting } from '../../options.ts';
import { attemptKey } from '../../stages/place.ts';
import { planGroups } from './plan-groups.ts';
import { storedHash } from './stored-hash.ts';
import { storedMagic } from './stored-footer.ts';

const HEAD_BYTES = 1 << 16;

/** What its table is called by its name. Faults: FORMAT_MISMATCH, FORMAT_UNKNOWN, OPTION_MISFIT. */
async function named(ctx: StageContext, { objects, file, name, options }: Receiving): Promise<string> {
  const path = join(await ctx.folder(), 'head');
  const head = { start: 0, end: Math.min(HEAD_BYTES, file.size) };
  await fetchStretch({ objects, plain: storedPlain(file), signal: ctx.signal }, head, path);
  const { format, tableName } = await detectFile({ path, name, encoding: options.encoding });
  requireFitting(format, options);
  return tableName;
}

/** Undefined of a file that does not begin as Parquet. Faults: those of `named`, `planGroups` and `storedHash`. */
export async function receiveGroups(ctx: StageContext, receiving: Receiving): Promise<Looked | undefined> {
  const { objects, limits, file, name, as, take, dataset } = receiving;
  const magic = await storedMagic({ objects, file });
  if (!/^PAR[1E]$/.test(magic.toString('latin1'))) return undefined;
  const tableName = await named(ctx, receiving);
  const table = await ctx.step('sequence', () => take({ name: as ?? tableName }));
  const came = await inRuns(ctx, async (step) => {
    const plan = await step('row groups', async () => {
      const key = attemptKey(ctx, dataset, table.table, 'groups.json');
      await writeOnce(objects, key, JSON.stringify(await planGroups(ctx, { objects, limits, file })));
      return key;
    });
    const progress: StageContext['progress'] = (done, total, note) => ctx.progress(done, total, note);
    const sha256 = await storedHash({ ctx: { step, progress, signal: ctx.signal }, objects, file, limits });
    return { plan, sha256 };
  });
  if (came.kind === 'continue') return came;
  const { plan, sha256 } = came.value;
  const source = { name, format: 'parquet', compression: 'none', bytes: file.size, sha256 } as const;
  return { kind: 'found', of: { source, tables: [table], plans: [plan], warnings: [] } };
}
