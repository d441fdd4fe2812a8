// The report of a table as a file to download. NDJSON is the report itself; CSV is written beside it by whoever asks for it first.
import type { Objects } from '../../core/objects.ts';
import type { Reject } from './reject.ts';
import { readReport } from './shown-report.ts';

const fields = ['reason', 'row', 'line', 'sheet', 'column', 'value'] as const satisfies readonly (keyof Reject)[];

export const reportFormats = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
} as const;
type ReportFormat = keyof typeof reportFormats;

/** Where the CSV of a report is, if somebody asked for it. */
export const csvKeyOf = (key: string): string => key.replace(/ndjson$/, 'csv');

/** In quotes, so that every value comes back as it is. */
const cell = (value: string | number | undefined): string =>
  typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : String(value ?? '');

const csvOf = (lines: readonly Reject[]): string =>
  [fields.join(','), ...lines.map((reject) => fields.map((field) => cell(reject[field])).join(','))]
    .map((line) => `${line}\r\n`)
    .join('');

/** The key of the file; undefined where the report is gone. */
export async function reportFile(objects: Objects, key: string, format: ReportFormat): Promise<string | undefined> {
  if (format === 'ndjson') return (await objects.head(key)) === undefined ? undefined : key;
  const lines = await readReport(objects, key);
  if (lines === undefined) return undefined;
  const csv = csvKeyOf(key);
  await objects.putOnce(csv, csvOf(lines));
  return csv;
}

/** Removes a report and its CSV. */
export async function removeReport(objects: Objects, key: string): Promise<void> {
  await Promise.all([key, csvKeyOf(key)].map((each) => objects.delete(each)));
}
