// The rejects of a table as an object of its own; nothing where there are none.
import type { Objects } from '../../core/objects.ts';
import { createReport } from '../../job/report.ts';
import { ACCEPTED, type Reject, type Rejects, type RejectsSummary, summaryOf } from './reject.ts';

export async function writeRejects(
  objects: Objects,
  key: string,
  { found, counts, accepted }: Rejects,
): Promise<RejectsSummary | undefined> {
  const report = createReport<Reject & { readonly [field: string]: unknown }>({ objects, key });
  const left: Record<string, number> = { ...counts, ...(accepted !== undefined && { [ACCEPTED]: accepted }) };
  for (const reject of found) {
    report.add(reject);
    left[reject.reason] = (left[reject.reason] ?? 0) - 1;
  }
  for (const [reason, cases] of Object.entries(left)) if (cases > 0) report.count(reason, cases);
  const summary = await report.close();
  if (summary === undefined) return undefined;
  const { [ACCEPTED]: taken = 0, ...reasons } = summary.reasons;
  return {
    ...{ key: summary.key, lines: summary.lines, total: summary.total - taken, reasons, ...summaryOf(found) },
    ...(accepted !== undefined && { accepted }),
  };
}
