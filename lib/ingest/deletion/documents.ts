// What people and passes said of a table, or of a whole dataset: it goes with what it was said of.
import type { StoredDocument } from '../../core/documents.ts';
import type { TableId } from '../../core/ids.ts';
import { reviews } from '../drift/review.ts';
import { relationFamily } from '../relations/relation.ts';
import { allOf } from './rows.ts';
import type { PurgeRun } from './run.ts';

/** Every family whose group is a dataset. */
const datasetFamilies = ['annotation', 'change', 'relation', 'review', 'saved-query', 'describe-pass'] as const;
type DatasetFamily = (typeof datasetFamilies)[number];

export async function forgetDocuments(run: PurgeRun): Promise<void> {
  const { table } = run.thing;
  if (table === undefined) for (const family of datasetFamilies) await forgetAll(run, family, () => true);
  else await forgetTable(run, table);
}

async function forgetTable(run: PurgeRun, table: TableId): Promise<void> {
  const { documents } = run.deps;
  const ofTable = ({ name }: StoredDocument): boolean => name === table || name.startsWith(`${table}#`);
  await forgetAll(run, 'annotation', ofTable, table);
  await forgetAll(run, 'change', ofTable, table);
  const group = { tenant: run.thing.tenant, workspace: run.thing.workspace, group: run.thing.dataset };
  const related = (await relationFamily(documents).all(group))
    .filter(({ body: { from, to } }) => from.table === table || to.table === table)
    .map(({ name }) => name);
  await forgetAll(run, 'relation', ({ name }) => related.includes(name));
  const known = await reviews(documents).all(group);
  const own = known.filter(({ body: { tables } }) => tables.every((each) => each.table === table));
  await forgetAll(run, 'review', ({ name }) => own.some((each) => each.name === name));
  for (const { name, body } of known.filter((each) => !own.includes(each)))
    if (body.tables.some((each) => each.table === table))
      await reviews(documents).change(
        { ...group, name },
        (found) => found && { ...found, tables: found.tables.filter((each) => each.table !== table) },
      );
}

/** One that is changed meanwhile is met again: whoever changes it saw it before it was deleted. */
async function forgetAll(
  { deps: { documents }, thing, fence }: PurgeRun,
  family: DatasetFamily,
  goes: (document: StoredDocument) => boolean,
  prefix?: string,
): Promise<void> {
  const group = { tenant: thing.tenant, workspace: thing.workspace, family, group: thing.dataset };
  let removed: ('removed' | 'moved')[];
  do {
    const going = (await allOf((page) => documents.listDocuments(group, { ...page, prefix }))).filter(goes);
    if (going.length === 0) return;
    await fence();
    removed = await Promise.all(
      going.map(({ name, version }) => documents.removeDocument({ ...group, name }, version)),
    );
  } while (removed.includes('moved'));
}
