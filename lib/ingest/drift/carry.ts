// What people say of a column goes along when it gets another name. It is copied: the old name keeps what was said of it, for the snapshots
// that have it, and what somebody has said of the new name already goes before.
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { documentFamily, type Documents } from '../../core/documents.ts';
import { Fault } from '../../core/fault.ts';
import type { TablePlace } from './changes.ts';

/** Whatever is said of a column, field by field. */
const saidSchema = z.record(z.string(), z.unknown());
export type Said = z.infer<typeof saidSchema>;

const annotations = (documents: Documents) => documentFamily(documents, { family: 'annotation', schema: saidSchema });
const placeOf = ({ tenant, workspace, dataset, table }: TablePlace, column: string) => ({
  ...{ tenant, workspace, group: dataset },
  name: `${table}#${column}`,
});

/** What is said of the old name and not of the new one; undefined where that is nothing. */
export async function toCarry(documents: Documents, table: TablePlace, from: string, to: string) {
  const family = annotations(documents);
  const [old, own] = await Promise.all([family.get(placeOf(table, from)), family.get(placeOf(table, to))]);
  const said = Object.entries(old?.body ?? {}).filter(([field]) => own?.body[field] === undefined);
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/** Says it of the column, where nobody has said anything else meanwhile. May be repeated. */
export async function carry(documents: Documents, table: TablePlace, to: string, carried: Said): Promise<void> {
  await annotations(documents).change(placeOf(table, to), (own) => ({ ...carried, ...own }));
}

const MOST_TRIES = 10;

/** Takes back what was carried, and leaves what somebody has said since. May be repeated. */
export async function takeBack(documents: Documents, table: TablePlace, to: string, carried: Said): Promise<void> {
  const family = annotations(documents);
  const place = placeOf(table, to);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const found = await family.get(place);
    if (found === undefined) return;
    const left = Object.entries(found.body).filter(([field, value]) => !isDeepStrictEqual(carried[field], value));
    const done =
      left.length === 0
        ? (await family.remove(place, found.version)) === 'removed'
        : (await family.put(place, Object.fromEntries(left), found.version)) === 'written';
    if (done) return;
  }
  throw new Fault('CONFLICT', `What is said of ${to} is changed by others all the time.`);
}
