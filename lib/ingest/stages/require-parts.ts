// Parts of tables that an earlier run wrote, or a child: once a job has ended they are swept, and a redrive finds them named still. A look at some
// parts of a table does not come across that, so that it is asked before they are published.
import { eachOf } from '../../core/each-of.ts';
import { Fault } from '../../core/fault.ts';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Findings } from '../publishing/findings.ts';
import { parsed } from './outputs.ts';
import { jobFolder, runFolder } from './place.ts';

const HEADS_AT_ONCE = 8;

/** Throws the Fault INPUT_UNREADABLE where one is gone. What this run wrote is not asked about, nor what is published. */
export async function requireParts(
  ctx: StageContext,
  objects: Pick<Objects, 'head'>,
  { file: { dataset }, made }: Pick<Findings, 'file' | 'made'>,
): Promise<void> {
  const { tables } = await ctx.outputOf(parsed);
  const read = new Set(tables.flatMap(({ parts }) => parts.map(({ key }) => key)));
  const keys = made.flatMap(({ named: { table }, read: { parts } }) => {
    const [ofJob, ofRun] = [jobFolder(ctx, dataset, table), runFolder(ctx, dataset, table)];
    const isOwn = (key: string): boolean => read.has(key) || key.startsWith(ofJob);
    return parts.flatMap(({ key }) => (isOwn(key) && !key.startsWith(ofRun) ? [key] : []));
  });
  const turns = eachOf(HEADS_AT_ONCE);
  const isThere = (key: string) =>
    turns(async () => {
      ctx.signal.throwIfAborted();
      return (await objects.head(key)) !== undefined;
    });
  const there = await Promise.all(keys.map(isThere));
  const gone = there.filter((each) => !each).length;
  if (gone > 0) throw new Fault('INPUT_UNREADABLE', `${gone} parts of the table that an earlier run wrote are gone.`);
}
