import * as z from 'zod';
import { hours, later, toIso } from '../../core/time.ts';
import { rejectsView, viewOf } from '../../ingest/rejects/reject.ts';
import { reportFile, reportFormats } from '../../ingest/rejects/report-file.ts';
import { readShown } from '../../ingest/shown.ts';
import { defineRoute } from '../route.ts';
import { isoTime } from '../schemas.ts';
import { publishedTable, tableParams } from './tables.ts';

/** How long the URL of a report works. */
const linkedFor = hours(1);

const rejectsSchema = z
  .strictObject({
    ...rejectsView.unwrap().shape,
    url: z.url().optional().meta({
      description:
        'The report: a line a value or record. Absent where there is none, and where a column of it hides its values.',
    }),
    expiresAt: isoTime.optional(),
  })
  .meta({ id: 'Rejects' });

const none = { total: 0, lines: 0, reasons: {}, first: [] };

export const getRejects = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/tables/{tableId}/rejects',
  operationId: 'getRejects',
  summary: 'Get what of a file could not be taken as it was',
  description:
    'Values that made a column wider than its other values are, values that became NULL, and records that were left out, each with its line, ' +
    'row and column, as the published snapshot was read. The report holds the first 10,000; the counts are of all.',
  access: 'datasets:read',
  servedBy: 'api',
  request: {
    params: tableParams,
    query: z.strictObject({
      format: z.enum(['ndjson', 'csv']).default('ndjson').meta({ description: 'Of the report behind the URL.' }),
    }),
  },
  answers: {
    200: { description: 'How many there are, the first ten, and where all are named.', schema: rejectsSchema },
  },
  handle: async ({ deps, caller, params, query: { format } }) => {
    const { view, manifest } = await publishedTable(deps, caller, params);
    const { rejects } = await readShown(deps, manifest);
    if (rejects === undefined) return { status: 200, body: none };
    const counted = viewOf(rejects);
    const key = rejects.key && (await reportFile(deps.objects, rejects.key, format));
    if (!key) return { status: 200, body: counted };
    const name = `${view.name.replaceAll(/[^\w.-]/g, '_')}.rejects.${format}`;
    const url = await deps.objects.presignGet(key, { expires: linkedFor, name, type: reportFormats[format] });
    return { status: 200, body: { ...counted, url, expiresAt: toIso(later(deps.clock.now(), linkedFor)) } };
  },
});
