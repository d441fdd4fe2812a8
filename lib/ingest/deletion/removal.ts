// What a purge removes, in its order. Each removal is of what was listed under a claim that was proved after the listing.
import type { FileId } from '../../core/ids.ts';
import { fileFolder } from '../../core/objects.ts';
import { forgetDocuments } from './documents.ts';
import { releaseFiles } from './files.ts';
import { prefixesOf } from './measure.ts';
import type { StoredParts } from './ports.ts';
import { allOf } from './rows.ts';
import type { PurgeRun } from './run.ts';

interface Begun {
  /** Of a table: those that go with it. */
  readonly files: readonly FileId[];
  /** What is counted of it as stored. */
  readonly stored: StoredParts;
}

export async function removeAll(run: PurgeRun, { files, stored }: Begun): Promise<void> {
  const { deps, thing } = run;
  for (const prefix of prefixesOf(thing)) await removeBelow(run, prefix);
  if (thing.table !== undefined)
    for (const file of await releaseFiles(run, files)) await removeBelow(run, fileFolder(thing, thing.dataset, file));
  await forgetDocuments(run);
  await removeRows(run);
  if (thing.table === undefined) await entombTables(run);
  // What ingests under way wrote meanwhile; nothing of theirs is published any more.
  for (const prefix of prefixesOf(thing)) await removeBelow(run, prefix);
  await run.fence();
  await deps.catalog.entomb(thing, run.ctx.ref.id, stored);
}

async function removeBelow({ deps: { objects }, fence }: PurgeRun, prefix: string): Promise<void> {
  for (;;) {
    const { versions } = await objects.listVersions(prefix);
    if (versions.length === 0) return;
    await fence();
    await objects.deleteVersions(versions);
  }
}

async function removeRows({ deps: { catalog }, thing, fence }: PurgeRun): Promise<void> {
  for (;;) {
    const rows = await catalog.rowsToPurge(thing);
    if (rows.length === 0) return;
    await fence();
    await catalog.removeRows(rows);
  }
}

async function entombTables({ deps: { catalog }, thing, fence }: PurgeRun): Promise<void> {
  let entombed: ('entombed' | 'moved')[];
  do {
    const rows = await allOf((page) => catalog.listTableRows(thing, thing.dataset, page));
    await fence();
    entombed = await Promise.all(rows.map((row) => catalog.entombTable(thing, thing.dataset, row)));
  } while (entombed.includes('moved'));
}
