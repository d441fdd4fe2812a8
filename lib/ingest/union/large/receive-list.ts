// A list of files that are larger together than what is read as a whole: each is surveyed by itself, a step of the job a chunk, and all of them
// are planned as one table.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatasetId } from '../../../core/ids.ts';
import type { Objects } from '../../../core/objects.ts';
import type { StageContext } from '../../../pipeline/stage.ts';
import { writeOnce } from '../../../pipeline/write-once.ts';
import { type InRuns, inRuns } from '../../chunks/in-runs.ts';
import type { ReadOptions } from '../../options.ts';
import type { ReadLimits } from '../../reading/types.ts';
import type { ReceivedTable } from '../../stages/outputs.ts';
import { attemptKey, freshFolder } from '../../stages/place.ts';
import type { FileList } from '../file-list.ts';
import { inFile } from '../in-file.ts';
import { planFiles } from './plan-files.ts';
import { type HowRead, notInChunks } from './requires.ts';
import { type SurveyedFile, surveyFile } from './survey-file.ts';

export interface LargeList {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly dataset: DatasetId;
  readonly table: ReceivedTable;
  readonly list: FileList;
  readonly options: ReadOptions;
  readonly fileColumn?: string | undefined;
  readonly how: Exclude<HowRead, 'whole'>;
}

/**
 * The key of the plan; undefined where the files are to be read as a whole, and may be. Faults: those of `surveyFile`, each with the name of the file,
 * and of `planFiles`.
 */
export const receiveLargeList = (ctx: StageContext, large: LargeList): Promise<InRuns<string | undefined>> =>
  inRuns(ctx, async (step) => {
    const { objects, limits, dataset, table, options, fileColumn } = large;
    const workDir = await freshFolder(ctx, 'union');
    const files = await surveyAll(ctx, { ...large, step, workDir });
    if (files === undefined) return undefined;
    const common = { ctx: { step }, objects, limits, workDir, signal: ctx.signal };
    const plan = await planFiles({ ...common, options, fileColumn, verbatim: table.verbatim }, files);
    const key = attemptKey(ctx, dataset, table.table, 'plan.json');
    await writeOnce(objects, key, JSON.stringify(plan));
    return key;
  });

interface Surveying extends LargeList {
  readonly step: StageContext['step'];
  readonly workDir: string;
}

async function surveyAll(ctx: StageContext, surveying: Surveying): Promise<SurveyedFile[] | undefined> {
  const { list, objects, limits, options, dataset, table, step, workDir, how } = surveying;
  const total = list.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const files: SurveyedFile[] = [];
  let before = 0;
  for (const [at, listed] of list.files.entries()) {
    const folder = join(workDir, `file-${at}`);
    await mkdir(folder);
    const done = before;
    const own = {
      ...{ objects, limits, options, workDir: folder },
      step: <T>(name: string, work: () => Promise<T> | T) => step(`file ${at} ${name}`, work),
      progress: (part: number, all: number, note?: string) =>
        ctx.progress(done + Math.round((part / Math.max(all, 1)) * listed.bytes), total, note),
      keyOf: (what: string, piece: number) => attemptKey(ctx, dataset, table.table, `${what}-${at}-${piece}`),
    };
    const file = await inFile(listed.name, async () => {
      const found = await surveyFile(ctx, own, listed);
      if (found === undefined && how === 'in chunks') throw notInChunks(limits);
      return found;
    });
    if (file === undefined) return undefined;
    files.push(file);
    before += listed.bytes;
  }
  return files;
}
