// What pass one finds of a large file, as it is kept for pass two: how to read it, where its chunks lie, and what each column is.
import * as z from 'zod';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Objects } from '../../core/objects.ts';
import { warningSchema } from '../manifest-schema.ts';
import type { Dialect } from '../csv/records.ts';
import type { KeptColumn } from '../json/columns.ts';
import type { JsonFormat, Phase } from '../json/records.ts';
import { reportModes } from '../options.ts';
import { dateOrders } from '../typing/day-months.ts';
import type { Facts } from '../typing/facts.ts';
import type { Counts } from '../typing/counts.ts';
import { looksBy, type Plan, replan, rungsOf } from '../typing/plan-table.ts';
import type { TextColumn } from '../typing/relation.ts';
import { textRung } from '../typing/rungs.ts';
import { plainSchema } from './plain.ts';

/** What the code that wrote it knows of its own values. */
const own = <T>() => z.custom<T>((value) => value !== undefined);

/** Of a chunk of CSV. */
const csvChunk = z.strictObject({
  /** Records above the header that stand in it. */
  above: z.int(),
  /** The header is still awaited where it begins. */
  headerPending: z.boolean(),
  hasHeader: z.boolean(),
  /** DuckDB reads it as it is, where it is as wide as the table. */
  regular: z.boolean(),
  columns: z.int(),
  newline: z.enum(['lf', 'crlf']),
  quotedNewlines: z.boolean(),
  longestRecord: z.int(),
});
export type CsvChunk = z.infer<typeof csvChunk>;

/** Of rows that JSON was written out as. */
const flatSchema = z.strictObject({
  rows: z.int(),
  bytes: z.int(),
  columns: z.int(),
  longest: z.int(),
  quotedNewlines: z.boolean(),
});

const chunkSchema = z.lazy(() =>
  z.strictObject({
    /** Offsets in the plain text. */
    start: z.int(),
    end: z.int(),
    rows: z.int(),
    /** In the chunks before. */
    rowsBefore: z.int(),
    linesBefore: z.int(),
    csv: csvChunk.optional(),
    /** Records that are left out of it. */
    bad: z.int().optional(),
    /** Of JSON: what is awaited where it begins. */
    phase: own<Phase>().optional(),
    /** Of several files: the place of the one that it is in. */
    file: z.int().optional(),
    /** Rows of it that were written with the survey. */
    flat: flatSchema.optional(),
  }),
);
export type Chunk = z.infer<typeof chunkSchema>;

const csvLayout = z.strictObject({
  dialect: own<Dialect>(),
  /** Fields of the header. */
  width: z.int(),
  nullWords: z.array(z.string()).readonly(),
});
export type CsvLayout = z.infer<typeof csvLayout>;

const jsonLayout = z.strictObject({ format: own<JsonFormat>(), keys: z.array(own<KeptColumn>()).readonly() });

const filePlan = z.strictObject({
  name: z.string(),
  plain: plainSchema,
  csv: csvLayout.optional(),
  json: jsonLayout.optional(),
  /** By the place of its own columns: the places of theirs in the table. */
  places: z.array(z.int()),
  /** In the files before. */
  rowsBefore: z.int(),
});
/** One of several files that are one table. */
export type FilePlan = z.infer<typeof filePlan>;

const tablePlanSchema = z.lazy(() =>
  z.strictObject({
    v: z.literal(1),
    plain: plainSchema,
    /** How its text is read: one of them. */
    csv: csvLayout.optional(),
    json: jsonLayout.optional(),
    columns: z.array(own<TextColumn>()),
    types: z.array(z.string()),
    /** Of each column, as its type was decided by. */
    facts: z.array(own<Facts>()),
    /** Columns of which the sample promised a narrower type. */
    promised: z.array(z.int()),
    /** Every value has been counted that could contradict it; otherwise the write may find one. */
    proven: z.boolean().optional(),
    rows: z.int(),
    emptyIsNull: z.boolean(),
    dateOrder: z.enum(dateOrders).optional(),
    report: z.enum(reportModes).optional(),
    /** Records that may be left out. */
    most: z.strictObject({ maxRejects: z.number().optional(), maxRejectShare: z.number().optional() }).optional(),
    /** Records that are left out, and how many there are of each reason. */
    onBadRecord: z.literal('reject').optional(),
    bad: z.record(z.string(), z.int()).optional(),
    chunks: z.array(chunkSchema),
    /** In the order of the rows; absent where the text is that of one file, which `plain` and the layout are of. */
    files: z.array(filePlan).optional(),
    /** The last column holds the name of the file. */
    namesFile: z.literal(true).optional(),
    /** Of its structure; and what is said behind what its values say. */
    warnings: z.array(warningSchema),
    lastWarnings: z.array(warningSchema).optional(),
  }),
);
export type TablePlan = z.infer<typeof tablePlanSchema>;

/** The plan that was kept at `key`. Throws the Fault INPUT_UNREADABLE. */
export async function readPlan(objects: Objects, key: string): Promise<TablePlan> {
  const bytes = await objects.get(key);
  if (bytes === undefined) throw new Fault('INPUT_UNREADABLE', `The plan ${key} is gone.`);
  const parsed = tablePlanSchema.safeParse(JSON.parse(Buffer.from(bytes).toString()));
  if (parsed.success) return parsed.data;
  throw new Fault('INPUT_UNREADABLE', 'Another release planned this file; submit it anew.', { cause: parsed.error });
}

/** The plan of a text in which a value contradicts `plan`, by the counts of all of its columns that are not text. */
export async function provenBy(plan: TablePlan, counts: ReadonlyMap<number, Counts>): Promise<TablePlan> {
  const table = { ...plan, sampleIsAll: false };
  const { all } = looksBy(table, { sample: async () => counts, all: async () => counts });
  const { rungs, facts, promised } = await replan(table, { all }, typingOf(plan));
  return {
    ...plan,
    types: rungs.map(({ type }) => type),
    facts: rungs.map((_, index) => must(facts.get(index), 'facts')),
    promised: [...promised.keys()],
    proven: true,
  };
}

/** The types again, of which a plan keeps names only. Throws the Fault INPUT_UNREADABLE where this release decides otherwise. */
export function typingOf({
  types,
  facts,
  promised,
  sampleIsAll = true,
  ...table
}: TablePlan & { sampleIsAll?: boolean }): Plan {
  const byColumn = new Map(facts.map((one, index) => [index, one] as const));
  const rungs = rungsOf({ ...table, sampleIsAll }, byColumn);
  if (rungs.some(({ type }, index) => type !== types[index]))
    throw new Fault('INPUT_UNREADABLE', 'Another release planned this file; submit it anew.');
  return { facts: byColumn, rungs, promised: new Map(promised.map((index) => [index, textRung])) };
}
