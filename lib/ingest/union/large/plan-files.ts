// Several large files as one table: columns by name, their types by what all of them hold, and each chunk read as its own file is.
import { must } from '../../../core/check.ts';
import { Fault } from '../../../core/fault.ts';
import { badRecords } from '../../csv/choose.ts';
import type { Chunk, FilePlan, TablePlan } from '../../chunks/plan.ts';
import { planSurveyed } from '../../chunks/plan-surveyed.ts';
import { askedColumns } from '../../typing/asked-columns.ts';
import { keepingTexts } from '../../typing/relation.ts';
import { warn } from '../../warnings.ts';
import { addCounts } from '../bad-pieces.ts';
import { MOST_LISTED_BYTES } from '../file-list.ts';
import { inSomeFiles, requireFreeName } from '../columns-of-files.ts';
import { namesOf } from '../in-table.ts';
import { warningsOfFiles } from '../warnings-of-files.ts';
import { familiesOf } from './families-of.ts';
import { isEmptyNull } from './empty-texts.ts';
import type { SurveyedFile } from './survey-file.ts';
import type { Planning } from './united.ts';
import { uniteSamples } from './unite-samples.ts';

/** Where the rows of each file stand among those of all. */
function placed(files: readonly SurveyedFile[], places: readonly (readonly number[])[]) {
  const plans: FilePlan[] = [];
  const chunks: Chunk[] = [];
  let rowsBefore = 0;
  for (const [file, { name, text, chunks: own, rows }] of files.entries()) {
    plans.push({ name, ...text, places: [...must(places[file], 'places')], rowsBefore });
    for (const chunk of own) chunks.push({ ...chunk, rowsBefore: chunk.rowsBefore + rowsBefore, file });
    rowsBefore += rows;
  }
  return { plans, chunks, rows: rowsBefore };
}

/** Faults: TOO_MANY_COLUMNS, OPTION_MISFIT, TOO_MANY_REJECTS. */
export async function planFiles(planning: Planning, files: readonly SurveyedFile[]): Promise<TablePlan> {
  const { options, limits, fileColumn, verbatim } = planning;
  const columnsOf = files.map(({ name: file, columns }) => ({ file, columns }));
  requireFreeName(fileColumn, columnsOf);
  const { names, places } = namesOf(
    files.map(({ columns }) => columns),
    limits.maxColumns,
  );
  const { plans, chunks, rows } = placed(files, places);
  const bytes = files.reduce((sum, { text }) => sum + text.plain.size, 0);
  if (bytes > MOST_LISTED_BYTES)
    throw new Fault('DECOMPRESSION_LIMIT', `Together the files have more than ${MOST_LISTED_BYTES} bytes.`);
  const texts = {
    ...{ plain: { pieces: [], start: 0, size: bytes }, files: plans },
    ...(fileColumn !== undefined && { namesFile: true as const }),
  };
  const named = fileColumn === undefined ? [] : [{ name: fileColumn, family: 'verbatim' as const }];
  const open = [...names.map((name) => ({ name, family: 'any' as const })), ...named];
  // As all columns are texts before anything is known of them.
  const asTexts = { ...texts, columns: open, emptyIsNull: false, onBadRecord: badRecords(options) };
  const united = { files, places, chunks, texts: asTexts };
  const agreed = await familiesOf(planning, united);
  const columns = [...askedColumns(names, options, (place) => must(agreed[place], 'a family').family), ...named];
  const emptyIsNull = await isEmptyNull(planning, united);
  const sampleIsAll = files.every((file) => file.sampleIsAll);
  const mixed = agreed.flatMap((one, place) =>
    one.mixed === undefined
      ? []
      : [warn('MIXED_JSON_TYPES', { column: names[place], detail: `They are ${one.mixed}` })],
  );
  const ofArchives = files.map(({ name: file, ofArchive: warnings }) => ({ file, warnings }));
  const own = files.map(({ name: file, warnings }) => ({ file, warnings }));
  return planSurveyed(planning, {
    table: keepingTexts({ columns, sampleIsAll, dateOrder: options.dateOrder, emptyIsNull }, verbatim),
    ...{ texts, chunks, rows, bad: addCounts(files.map(({ bad }) => bad)) },
    sample: await uniteSamples(planning, united, names.length),
    warnings: [...warningsOfFiles(ofArchives), ...warningsOfFiles(own), ...mixed],
    lastWarnings: inSomeFiles(columnsOf),
  });
}
