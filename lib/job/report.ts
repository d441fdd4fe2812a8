// A report of what a run could not take as it was: one line of JSON a case, in an object beside the result, bounded, with counts that are
// not. Ingest writes its rejects so, and kinds of one's own may.
import type { Objects } from '../core/objects.ts';

/** A case: why, and what a reader needs to find and mend it. JSON. */
export interface ReportLine {
  readonly reason: string;
  readonly [field: string]: unknown;
}

export interface ReportSummary<Line extends ReportLine = ReportLine> {
  /** Of the object: NDJSON. */
  readonly key: string;
  /** How many cases there are, and how many of them are lines of the object. */
  readonly total: number;
  readonly lines: number;
  /** How many there are of each reason. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly first: readonly Line[];
}

export interface Report<Line extends ReportLine = ReportLine> {
  /** Counts a case, and keeps its line as long as there is room. */
  add(line: Line): void;
  /** Counts cases of which no line is at hand. */
  count(reason: string, cases: number): void;
  /** Writes the object; undefined where there was no case, and then nothing is written. Once only. */
  close(): Promise<ReportSummary<Line> | undefined>;
}

export interface ReportOptions {
  readonly objects: Objects;
  /** Where the object is to be, e.g. below `ctx.objectPrefix`. */
  readonly key: string;
  /** Lines, and bytes of them, that are kept. */
  readonly mostLines?: number | undefined;
  readonly mostBytes?: number | undefined;
}

const MOST_LINES = 10_000;
const MOST_BYTES = 4 * 2 ** 20;
const FIRST = 10;

/**
 * Opens a report.
 * @example
 * const report = createReport({ objects: ctx.objects, key: `${ctx.objectPrefix}/rejects.ndjson` });
 * report.add({ reason: 'no such customer', order: 17 });
 * return { booked, rejects: await report.close() };
 */
export function createReport<Line extends ReportLine = ReportLine>(options: ReportOptions): Report<Line> {
  const { objects, key, mostLines = MOST_LINES, mostBytes = MOST_BYTES } = options;
  const reasons: Record<string, number> = {};
  const kept: string[] = [];
  const first: Line[] = [];
  let bytes = 0;
  let total = 0;
  const count = (reason: string, cases: number): void => {
    total += cases;
    reasons[reason] = (reasons[reason] ?? 0) + cases;
  };
  const add = (line: Line): void => {
    count(line.reason, 1);
    if (first.length < FIRST) first.push(line);
    const text = `${JSON.stringify(line)}\n`;
    bytes += Buffer.byteLength(text);
    if (kept.length < mostLines && bytes <= mostBytes) kept.push(text);
  };
  const close = async (): Promise<ReportSummary<Line> | undefined> => {
    if (total === 0) return undefined;
    await objects.putOnce(key, kept.join(''));
    return { key, total, lines: kept.length, reasons, first };
  };
  return { add, count, close };
}
