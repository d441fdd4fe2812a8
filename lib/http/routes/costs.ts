// What language models have cost the workspace, by month and by question.
import * as z from 'zod';
import type { DatasetId, JobId, TableId } from '../../core/ids.ts';
import { toIso } from '../../core/time.ts';
import { type CostEntry, costEntries, costMonths, entriesOf, MONTHS } from '../../ingest/describe/ledger.ts';
import { toCents } from '../../ingest/describe/prices.ts';
import { listReply } from '../list.ts';
import { defineRoute } from '../route.ts';
import { idSchema, isoTime, listOf, pageQuery } from '../schemas.ts';

const month = z
  .string()
  .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, 'It is a month such as 2026-11.')
  .meta({ description: 'Year and month in UTC, such as `2026-11`.' });
const cents = z.number().meta({ description: 'Cents, by the price list of the release; not the bill.' });

const monthSchema = z.strictObject({ month, cents, questions: z.int() }).meta({ id: 'CostMonth' });
const entrySchema = z
  .strictObject({
    at: isoTime,
    purpose: z
      .string()
      .meta({ description: '`describe`, `embed` (tables and columns) or `search` (what people search).' }),
    jobId: idSchema<JobId>('job').optional(),
    datasetId: idSchema<DatasetId>('ds').optional(),
    tableId: idSchema<TableId>('tbl').optional(),
    model: z.string(),
    promptVersion: z.string().optional(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    cents,
    outcome: z
      .enum(['answered', 'refused', 'failed'])
      .meta({ description: '`refused`: what came did not fit its schema.' }),
  })
  .meta({ id: 'CostEvent' });

const entryView = ({ at, job, dataset, table, microcents, ...entry }: CostEntry): z.input<typeof entrySchema> => ({
  at: toIso(at),
  purpose: entry.purpose,
  ...(job !== undefined && { jobId: job }),
  ...(dataset !== undefined && { datasetId: dataset }),
  ...(table !== undefined && { tableId: table }),
  model: entry.model,
  ...(entry.promptVersion !== undefined && { promptVersion: entry.promptVersion }),
  inputTokens: entry.inputTokens,
  outputTokens: entry.outputTokens,
  cents: toCents(microcents),
  outcome: entry.outcome,
});

const listCosts = defineRoute({
  method: 'GET',
  path: '/v1/costs',
  operationId: 'listCosts',
  summary: 'List what language models have cost the workspace, by month',
  description: 'Kept for 365 days. A question under way counts with the most that it can cost.',
  access: 'datasets:read',
  servedBy: 'api',
  request: { query: z.strictObject(pageQuery) },
  answers: { 200: { description: 'A page of months.', schema: listOf(monthSchema) } },
  handle: (call) => {
    const { tenant, workspace } = call.caller;
    return listReply(call, {
      name: 'costs',
      read: (page) => costMonths(call.deps.documents).list({ tenant, workspace, group: MONTHS }, page),
      view: ({ name, body }) => ({ month: name, cents: toCents(body.microcents), questions: body.questions }),
    });
  },
});

const listCostEvents = defineRoute({
  method: 'GET',
  path: '/v1/costs/{month}',
  operationId: 'listCostEvents',
  summary: 'List the questions to language models of a month, oldest first',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params: z.strictObject({ month }), query: z.strictObject(pageQuery) },
  answers: { 200: { description: 'A page of questions.', schema: listOf(entrySchema) } },
  handle: (call) => {
    const { tenant, workspace } = call.caller;
    const group = entriesOf(call.params.month);
    return listReply(call, {
      name: 'cost events',
      read: (page) => costEntries(call.deps.documents).list({ tenant, workspace, group }, page),
      view: ({ body }) => entryView(body),
    });
  },
});

export const costRoutes = [listCosts, listCostEvents];
