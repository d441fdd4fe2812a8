import * as z from 'zod';
import { toIso } from '../../core/time.ts';
import { defineRoute } from '../route.ts';
import { isoTime } from '../schemas.ts';

const bytes = z.int().min(0);
const usageSchema = z
  .strictObject({
    bytes: bytes.meta({ description: 'Of files and tables together: what the limit is about.' }),
    fileBytes: bytes.meta({ description: 'Of the files as they were uploaded.' }),
    tableBytes: bytes.meta({ description: 'Of the tables, with all the snapshots that are kept.' }),
    limit: z.int().nullable().meta({ description: 'Bytes that the workspace may store; null for no limit.' }),
    countedAt: isoTime
      .optional()
      .meta({ description: 'When a job `count-storage` last counted the rows; writes count along since then.' }),
  })
  .meta({ id: 'Usage' });

/** Rows of older releases were not counted when they came, and may be when they go. */
const shown = (number: number): number => Math.max(0, number);

export const getUsage = defineRoute({
  method: 'GET',
  path: '/v1/usage',
  operationId: 'getUsage',
  summary: 'How many bytes the workspace stores, and how many it may',
  access: 'datasets:read',
  servedBy: 'api',
  request: {},
  answers: { 200: { description: 'By what is counted.', schema: usageSchema } },
  handle: async ({ deps, caller: { tenant, workspace } }) => {
    const usage = await deps.catalog.getUsage({ tenant, workspace });
    const body: z.input<typeof usageSchema> = {
      bytes: shown(usage.bytes),
      fileBytes: shown(usage.fileBytes),
      tableBytes: shown(usage.tableBytes),
      limit: deps.limits.workspaceBytes ?? null,
      ...(usage.countedAt !== undefined && { countedAt: toIso(usage.countedAt) }),
    };
    return { status: 200, body };
  },
});
