// Pass one as a whole: the chunks of a large text one after the other, and what they say of it, put together.
import { join } from 'node:path';
import { allDone } from '../../core/all-done.ts';
import { must } from '../../core/check.ts';
import type { Warning } from '../../core/warning.ts';
import { chooseDialect, HEAD_BYTES, requireWords, withSeparatorLine } from '../csv/choose.ts';
import { countsOf } from '../csv/bad-records.ts';
import { writeSample } from '../csv/canonical.ts';
import { structureWarnings } from '../csv/read-csv.ts';
import { askedColumns } from '../typing/asked-columns.ts';
import type { Dialect } from '../csv/records.ts';
import { csvRows } from '../csv/slices.ts';
import { surveyOf } from '../csv/shape.ts';
import { headerOf } from '../csv/survey.ts';
import { bytesAt } from '../formats/head.ts';
import { badWarnings, columnsOf } from '../json/read-json.ts';
import type { JsonFormat } from '../json/records.ts';
import { nameColumns } from '../reading/names.ts';
import type { PlannedTable } from '../typing/plan-table.ts';
import { keepingTexts, type Rows } from '../typing/relation.ts';
import * as json from './json.ts';
import { fetchStretch } from './plain.ts';
import type { TablePlan } from './plan.ts';
import { planSurveyed } from './plan-surveyed.ts';
import { hashLast, hashUpTo } from './survey.ts';
import { type Passing, type PassOne, surveyAll, type Whole } from './survey-all.ts';
import { sourceOf } from './survey-chunk.ts';
import { hashFor, notHashed } from './text-hash.ts';

export interface Planned {
  readonly plan: TablePlan;
  /** Of the text: `TextHash.end`; of a stretch of it there is none. */
  readonly sha256: string;
}

/** A text as pass one finds it. */
export interface Shape {
  readonly table: PlannedTable;
  readonly whole: Whole;
  readonly rows: number;
  /** Writes the sample, and answers its rows. */
  readonly sample: () => Promise<Rows>;
  readonly warnings: readonly Warning[];
  readonly layout: Pick<TablePlan, 'csv' | 'json'>;
  /** Records that are left out. */
  readonly bad: Readonly<Record<string, number>>;
}

const sampledAll = ({ last }: Whole): boolean => last.sampler.all;

async function surveyCsv(pass: Passing, format: 'csv' | 'tsv'): Promise<Shape> {
  const { plain, workDir } = pass;
  const headPath = join(workDir, 'head');
  const end = Math.min(plain.size, plain.start + HEAD_BYTES);
  await fetchStretch(pass, { start: plain.start, end }, headPath);
  const head = await bytesAt(headPath, 0, HEAD_BYTES);
  const options = withSeparatorLine(head, pass.options);
  const { nullWords = [], headerRow } = options;
  const readingOf = (dialect: Dialect) => ({ kind: 'csv', dialect, headerRow, nullWords }) as const;
  const survey = async (dialect: Dialect) => {
    requireWords(nullWords, dialect);
    const reading = readingOf(dialect);
    const whole = await surveyAll(pass, `survey ${dialect.delimiter} ${dialect.quoting}`, reading);
    const tally = must(whole.last.csv, 'a survey').tally;
    return { ...surveyOf(dialect, tally, headerOf(tally, sourceOf({ ...pass, reading }, ''))), whole };
  };
  const chosen = await chooseDialect({ head, whole: end >= plain.size, format, options }, survey);
  const { whole, dialect, width, header, columns, rows, allQuoted, emptyQuoted, ...found } = chosen.survey;
  const { names, warnings } = nameColumns(header, columns);
  const emptyIsNull = allQuoted && emptyQuoted > 0;
  const { dateOrder } = options;
  return {
    table: { columns: askedColumns(names, options), sampleIsAll: sampledAll(whole), dateOrder, emptyIsNull },
    ...{ whole, rows, layout: { csv: { dialect, width, nullWords } }, bad: countsOf(chosen.survey) },
    warnings: [...warnings, ...structureWarnings(chosen, options)],
    sample: async () => {
      const path = join(workDir, 'sample.csv');
      const source = sourceOf({ ...pass, reading: readingOf(dialect) }, path);
      await writeSample(source, { ...chosen.survey, sample: Buffer.concat(whole.sample) }, path);
      const quotedNewlines = found.quotedNewlines ? 'quoted newlines' : 'lines';
      const shape = { delimiter: dialect.delimiter, columns, longestRecord: found.longestRecord, nullWords } as const;
      return csvRows({ ...shape, path, quotedNewlines, header: 'no header', newline: 'lf' }, { workDir });
    },
  };
}

async function surveyJson(pass: Passing, format: JsonFormat): Promise<Shape> {
  const { workDir } = pass;
  const reading = { kind: 'json', format } as const;
  const whole = await surveyAll(pass, 'survey', reading);
  const { keys, bad } = must(whole.last.json, 'a survey');
  const rows = whole.last.rowsBefore + whole.last.rows;
  const { columns, warnings } = columnsOf(keys, rows, pass.options);
  return {
    table: { columns, sampleIsAll: sampledAll(whole), dateOrder: pass.options.dateOrder, emptyIsNull: false },
    ...{ whole, rows, layout: { json: { format, keys } }, bad: countsOf({ broken: bad, wide: undefined }) },
    warnings: [...warnings, ...badWarnings(bad)],
    sample: async () => {
      const path = join(workDir, 'sample.json');
      await json.writeRecords(whole.sample, path);
      const source = sourceOf({ ...pass, reading }, path);
      return json.relationOf({ source, format: 'json', keys, phase: 'open', workDir });
    },
  };
}

/** Reads a text once, chunk by chunk. Faults: those of `readTable` that concern the text, with places in the whole of it. */
export const surveyText = (pass: Passing, format: 'csv' | 'tsv' | JsonFormat): Promise<Shape> =>
  format === 'csv' || format === 'tsv' ? surveyCsv(pass, format) : surveyJson(pass, format);

/** Plans a large text. Faults: those of `surveyText`. */
export async function planText(of: PassOne, format: 'csv' | 'tsv' | JsonFormat): Promise<Planned> {
  const pass = { ...of, hash: of.plain.within === undefined ? hashFor(of.plain.size, of.limits) : notHashed };
  const { table, whole, sample, layout, warnings, ...shape } = await surveyText(pass, format);
  const planning = async () =>
    planSurveyed(pass, {
      ...{ ...shape, table: keepingTexts(table, pass.verbatim), chunks: whole.chunks, warnings },
      ...{ texts: { ...layout, plain: pass.plain }, sample: await sample() },
    });
  const hashing = async (): Promise<undefined> => {
    await hashLast(pass, whole.last);
    await hashUpTo(pass, of.plain.size);
  };
  // While DuckDB looks at the sample there is nothing else to do.
  const [plan] = await allDone([planning(), hashing()]);
  return { plan: must(plan, 'a plan'), sha256: pass.hash.end() };
}
