// The rejects of a table as an object of its own; nothing where there are none.
import type { Objects } from '../../core/objects.ts';
import { createReport } from '../../job/report.ts';
import type { Reject, Rejects, RejectsSummary } from './reject.ts';

export async function writeRejects(
  objects: Objects,
  key: string,
  { found, counts }: Rejects,
): Promise<RejectsSummary | undefined> {
  const report = createReport<Reject & { readonly [field: string]: unknown }>({ objects, key });
  const left = { ...counts };
  for (const reject of found) {
    report.add(reject);
    left[reject.reason] = (left[reject.reason] ?? 0) - 1;
  }
  for (const [reason, cases] of Object.entries(left)) if (cases > 0) report.count(reason, cases);
  const summary = await report.close();
  const columns = [...new Set(found.map(({ column }) => column))];
  return summary && { ...summary, columns, reasons: { ...summary.reasons }, first: [...summary.first] };
}
