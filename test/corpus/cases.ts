// The corpus: small files made after public reports about readers of tables, each with what a careful analyst expects of it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { faultCatalogue, type FaultCode } from '../../lib/core/fault.ts';
import { type ReadOptions, readOptionsSchema } from '../../lib/ingest/options.ts';

const row = z.array(z.string().nullable());
const expectedTable = z.strictObject({
  /** `name TYPE` of each column. */
  columns: z.array(z.string()),
  /** As DuckDB prints the values. */
  rows: z.array(row),
  /** `CODE`, and the column where the warning has one; in any order. */
  warnings: z.array(z.string()),
});

const about = z.object({
  /** Below `files`. */
  file: z.string(),
  /** The report, or the behaviour, that the file stands for. */
  like: z.string().min(5),
  options: z.custom<ReadOptions>((value) => readOptionsSchema.safeParse(value).success).optional(),
});

const caseSchema = z.union([
  about.extend({ tables: z.record(z.string(), expectedTable) }).strict(),
  about.extend(expectedTable.shape).strict(),
  about
    .extend({
      fault: z.custom<FaultCode>((value) => typeof value === 'string' && Object.hasOwn(faultCatalogue, value)),
      /** What the detail of the fault names, as a regular expression without regard to case. */
      says: z.string().optional(),
    })
    .strict(),
]);

export type CorpusCase = z.infer<typeof caseSchema>;
export type ExpectedTable = z.infer<typeof expectedTable>;

const folder = import.meta.dirname;

/** The areas of the corpus, each a manifest and a folder of files. */
export const areas: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length));

export const casesOf = (area: string): readonly CorpusCase[] =>
  z.array(caseSchema).parse(JSON.parse(readFileSync(join(folder, `${area}.json`), 'utf8')));

export const pathOf = ({ file }: Pick<CorpusCase, 'file'>): string => join(folder, 'files', file);

/** Every file of an area, whether the manifest has it or not. */
export const filesOf = (area: string): readonly string[] =>
  readdirSync(join(folder, 'files', area)).map((name) => `${area}/${name}`);
