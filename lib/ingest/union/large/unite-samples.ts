// The samples of several files as one: written out as texts, file by file, as the rows are where files are read as a whole.
import { join } from 'node:path';
import { must } from '../../../core/check.ts';
import { sourceOf } from '../../combine/side.ts';
import { withEngine } from '../../engine/engine.ts';
import type { Rows, Slice } from '../../typing/relation.ts';
import { type InTable, slicesOf } from '../in-table.ts';
import { copyTexts } from '../unite-texts.ts';
import type { Planning, United } from './united.ts';

/** `count`: the columns of all files. */
export const uniteSamples = (planning: Planning, { files, places }: United, count: number): Promise<Rows> =>
  withEngine(planning, async (engine) => {
    const { workDir, fileColumn } = planning;
    const long = files.some(({ sample }) => sample.some((slice) => slice.long));
    const united: Slice[] = [];
    for (const [number, slice] of slicesOf({ places: [], count, file: fileColumn }).entries()) {
      const paths: { path: string }[] = [];
      for (const [at, { name, sample, rows, text }] of files.entries()) {
        const within: InTable = {
          places: must(places[at], 'places'),
          count,
          ...(fileColumn !== undefined && { file: name }),
        };
        const path = join(workDir, `sample-${number}-${at}.parquet`);
        await copyTexts(engine, { rows, bytes: text.plain.size }, { within, slice }, { rows: sample, target: path });
        paths.push({ path });
      }
      united.push({ ...slice, long, from: sourceOf(paths) });
    }
    return united;
  });
