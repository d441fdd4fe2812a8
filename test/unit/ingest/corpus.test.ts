// Every file of the corpus through the readers: the value that was written, or the code and the place.
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Fault } from '../../../lib/core/fault.ts';
import type { Warning } from '../../../lib/core/warning.ts';
import { type Engine, withEngine } from '../../../lib/ingest/engine/engine.ts';
import { listTables } from '../../../lib/ingest/reading/list-tables.ts';
import { readTable } from '../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits } from '../../../lib/ingest/reading/types.ts';
import { areas, type CorpusCase, casesOf, type ExpectedTable, filesOf, pathOf } from '../../corpus/cases.ts';
import { lateFile, type MadeAndRead, type MadeAndRefused, refusedFiles } from '../../corpus/generated.ts';
import { inFolder, textsIn } from './world.ts';

/** One engine looks into what all readers have written. */
function openEngine(): { readonly engine: Promise<Engine>; readonly close: () => void } {
  const { promise: engine, resolve: ready } = Promise.withResolvers<Engine>();
  const { promise: over, resolve: close } = Promise.withResolvers<undefined>();
  void inFolder((workDir) =>
    withEngine({ workDir, limits: defaultReadLimits }, async (opened) => {
      ready(opened);
      await over;
    }),
  );
  return { engine, close: () => close(undefined) };
}
const looking = openEngine();
afterAll(looking.close);

const inWords = ({ code, column }: Warning): string => (column === undefined ? code : `${code} ${column}`);

interface Asked extends Pick<CorpusCase, 'file' | 'options'> {
  readonly path: string;
}

/** Lists the tables of a file and reads each, as the stages of an ingest do. */
async function readAll(asked: Asked): Promise<Record<string, ExpectedTable>> {
  return inFolder(async (workDir) => {
    const request = {
      path: asked.path,
      name: basename(asked.file),
      workDir,
      limits: defaultReadLimits,
      options: asked.options,
    };
    const { tables, warnings } = await listTables(request);
    const read: Record<string, ExpectedTable> = {};
    for (const { name, within, entry } of tables) {
      const own = await mkdtemp(join(workDir, 'table-'));
      const table = await readTable({ ...request, workDir: own, within, entry });
      read[name] = {
        columns: table.columns.map((column) => `${column.name} ${column.type}`),
        rows: await textsIn(await looking.engine, table.parquetPath),
        warnings: [...warnings, ...table.warnings].map(inWords).sort(),
      };
      expect(await readdir(own)).toEqual(['table.parquet']);
    }
    return read;
  });
}

const sorted = (table: ExpectedTable): ExpectedTable => ({ ...table, warnings: table.warnings.toSorted() });

async function expectFault(asked: Asked, fault: string, says: RegExp): Promise<void> {
  const thrown: unknown = await readAll(asked).catch((reason: unknown) => reason);
  expect(thrown).toBeInstanceOf(Fault);
  const { code, detail } = thrown as Fault;
  expect([code, detail]).toEqual([fault, expect.stringMatching(says)]);
}

async function expectCase(asked: CorpusCase): Promise<void> {
  const file = { ...asked, path: pathOf(asked) };
  if ('fault' in asked) return expectFault(file, asked.fault, new RegExp(asked.says ?? '', 'i'));
  const read = await readAll(file);
  if ('tables' in asked) {
    expect(read).toEqual(Object.fromEntries(Object.entries(asked.tables).map(([name, one]) => [name, sorted(one)])));
    return;
  }
  const { columns, rows, warnings } = asked;
  expect(Object.values(read)).toEqual([sorted({ columns, rows, warnings })]);
}

describe.each(areas)('the corpus of %s', (area) => {
  it('has an entry for each of its files', () => {
    expect(
      casesOf(area)
        .map(({ file }) => file)
        .toSorted(),
    ).toEqual(filesOf(area).toSorted());
  });

  it.concurrent.each(casesOf(area))('reads $file as it should: $like', (asked) => expectCase(asked));
});

describe('the corpus of files too large to keep', () => {
  const made = <T>({ file, make }: MadeAndRead | MadeAndRefused, use: (asked: Asked) => Promise<T>): Promise<T> =>
    inFolder(async (folder) => {
      const path = join(folder, 'upload');
      await writeFile(path, make());
      return use({ file, path });
    });

  it.each(refusedFiles)('refuses $file: $like', (asked) =>
    made(asked, (file) => expectFault(file, asked.fault, asked.says)),
  );

  it(`reads ${lateFile.file}: ${lateFile.like}`, async () => {
    const [read] = Object.values(await made(lateFile, readAll));
    const { columns, rows, lastRow, warnings } = lateFile;
    expect([read?.columns, read?.rows.length, read?.rows.at(-1), read?.warnings]).toEqual([
      columns,
      rows,
      lastRow,
      warnings,
    ]);
  });
});
