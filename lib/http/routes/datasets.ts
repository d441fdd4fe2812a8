import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { type DatasetId, derivedId, type Scope } from '../../core/ids.ts';
import { toIso } from '../../core/time.ts';
import type { Catalog, Dataset } from '../../ingest/catalog.ts';
import { listReply } from '../list.ts';
import { datasetNameSchema } from '../names.ts';
import { defineRoute } from '../route.ts';
import { idSchema, isoTime, listOf, pageQuery } from '../schemas.ts';

export const datasetParams = z.strictObject({ id: idSchema<DatasetId>('ds') });

const datasetSchema = z
  .strictObject({
    id: idSchema<DatasetId>('ds'),
    name: z.string(),
    description: z.string().optional(),
    createdAt: isoTime,
  })
  .meta({ id: 'Dataset' });

const datasetView = ({ id, name, description, createdAt }: Dataset): z.input<typeof datasetSchema> => ({
  id,
  name,
  ...(description !== undefined && { description }),
  createdAt: toIso(createdAt),
});

/** The caller's dataset; another tenant's is not found. */
export async function datasetOf(catalog: Catalog, { tenant, workspace }: Scope, id: DatasetId): Promise<Dataset> {
  const dataset = await catalog.getDataset({ tenant, workspace }, id);
  if (!dataset) throw new Fault('NOT_FOUND', `There is no dataset ${id} in this workspace.`);
  return dataset;
}

const createDataset = defineRoute({
  method: 'POST',
  path: '/v1/datasets',
  operationId: 'createDataset',
  summary: 'Create a dataset',
  description: 'The id follows from the workspace and the name, so a name is taken once: 409 names the id that has it.',
  access: 'datasets:write',
  servedBy: 'api',
  request: {
    body: z.strictObject({ name: datasetNameSchema, description: z.string().max(2000).optional() }),
  },
  answers: { 201: { description: 'The new dataset.', schema: datasetSchema, headers: { Location: 'The dataset.' } } },
  problems: ['CONFLICT'],
  handle: async ({ deps, caller: { tenant, workspace }, body }) => {
    const id = derivedId('ds', tenant, workspace, body.name.normalize('NFC'));
    const { name, description } = body;
    const dataset: Dataset = { tenant, workspace, id, name, description, createdAt: deps.clock.now() };
    if ((await deps.catalog.createDataset(dataset)) === 'exists')
      throw new Fault('CONFLICT', 'A dataset of this name exists already.', { extra: { datasetId: id } });
    return { status: 201, body: datasetView(dataset), headers: { location: `/v1/datasets/${id}` } };
  },
});

const listDatasets = defineRoute({
  method: 'GET',
  path: '/v1/datasets',
  operationId: 'listDatasets',
  summary: 'List the datasets of the workspace',
  access: 'datasets:read',
  servedBy: 'api',
  request: { query: z.strictObject(pageQuery) },
  answers: { 200: { description: 'A page of datasets.', schema: listOf(datasetSchema) } },
  handle: (call) =>
    listReply(call, {
      name: 'datasets',
      read: (page) => call.deps.catalog.listDatasets(call.caller, page),
      view: datasetView,
    }),
});

const getDataset = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}',
  operationId: 'getDataset',
  summary: 'Get a dataset',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params: datasetParams },
  answers: { 200: { description: 'The dataset.', schema: datasetSchema } },
  handle: async ({ deps, caller, params }) => ({
    status: 200,
    body: datasetView(await datasetOf(deps.catalog, caller, params.id)),
  }),
});

export const datasetRoutes = [createDataset, listDatasets, getDataset];
