import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, Scope } from '../../core/ids.ts';
import { toIso } from '../../core/time.ts';
import type { Catalog, Dataset } from '../../ingest/catalog.ts';
import { datasetIdOf } from '../../ingest/dataset-id.ts';
import type { Deletion } from '../../ingest/deletion/ports.ts';
import { partialPolicySchema } from '../../ingest/policy.ts';
import { deletedQuery, deletionView, optionalDeletionFields } from '../deletion-view.ts';
import { listReply, nameQuery, pageOfOne } from '../list.ts';
import { datasetNameSchema } from '../names.ts';
import { defineRoute } from '../route.ts';
import { idSchema, isoTime, listOf, pageQuery } from '../schemas.ts';

export const datasetParams = z.strictObject({ id: idSchema<DatasetId>('ds') });

export const datasetSchema = z
  .strictObject({
    id: idSchema<DatasetId>('ds'),
    name: z.string(),
    description: z.string().optional(),
    policy: partialPolicySchema.optional(),
    createdAt: isoTime,
    ...optionalDeletionFields,
  })
  .meta({ id: 'Dataset' });

export const datasetView = ({
  id,
  name,
  description,
  policy,
  createdAt,
  deletion,
}: Dataset & { readonly deletion?: Deletion | undefined }): z.input<typeof datasetSchema> => ({
  id,
  name,
  ...(description !== undefined && { description }),
  ...(policy !== undefined && { policy }),
  createdAt: toIso(createdAt),
  ...(deletion && deletionView(deletion)),
});

/** The caller's dataset; another tenant's is not found. */
export async function datasetOf(catalog: Catalog, { tenant, workspace }: Scope, id: DatasetId): Promise<Dataset> {
  const dataset = await catalog.getDataset({ tenant, workspace }, id);
  if (!dataset) throw new Fault('NOT_FOUND', `There is no dataset ${id} in this workspace.`);
  return dataset;
}

const changeable = {
  description: z.string().max(2000).optional(),
  policy: partialPolicySchema
    .optional()
    .meta({ description: 'How files of the dataset are ingested; what is left out has its default.' }),
};

const createDataset = defineRoute({
  method: 'POST',
  path: '/v1/datasets',
  operationId: 'createDataset',
  summary: 'Create a dataset',
  description: 'The id follows from the workspace and the name, so a name is taken once: 409 names the id that has it.',
  access: 'datasets:write',
  servedBy: 'api',
  request: {
    body: z.strictObject({ name: datasetNameSchema, ...changeable }),
  },
  answers: { 201: { description: 'The new dataset.', schema: datasetSchema, headers: { Location: 'The dataset.' } } },
  problems: ['CONFLICT'],
  handle: async ({ deps, caller: { tenant, workspace }, body }) => {
    const id = datasetIdOf({ tenant, workspace }, body.name);
    const { name, description, policy } = body;
    const dataset: Dataset = { tenant, workspace, id, name, description, policy, createdAt: deps.clock.now() };
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
  request: { query: z.strictObject({ ...pageQuery, ...nameQuery, ...deletedQuery }) },
  answers: { 200: { description: 'A page of datasets.', schema: listOf(datasetSchema) } },
  handle: (call) => {
    const { catalog } = call.deps;
    const { name, deleted } = call.query;
    const asked = name === undefined ? undefined : datasetIdOf(call.caller, name);
    return listReply(call, {
      name: 'datasets',
      read: async (page) => {
        if (deleted === 'true') return catalog.listDeletedDatasets(call.caller, page);
        if (asked === undefined) return catalog.listDatasets(call.caller, page);
        return pageOfOne(await catalog.getDataset(call.caller, asked));
      },
      view: (dataset) => (asked === undefined || dataset.id === asked ? datasetView(dataset) : undefined),
    });
  },
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

const changeDataset = defineRoute({
  method: 'PATCH',
  path: '/v1/datasets/{id}',
  operationId: 'changeDataset',
  summary: 'Change the description or the policy of a dataset',
  description:
    'What is given replaces what was there, as a whole. Ingests whose file was received before keep the policy of that time.',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: datasetParams, body: z.strictObject(changeable) },
  answers: { 200: { description: 'The dataset as it is now.', schema: datasetSchema } },
  handle: async ({ deps, caller, params, body }) => {
    const { tenant, workspace } = caller;
    const dataset = await datasetOf(deps.catalog, caller, params.id);
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    if (Object.keys(given).length > 0) await deps.catalog.changeDataset({ tenant, workspace }, params.id, given);
    return { status: 200, body: datasetView({ ...dataset, ...given }) };
  },
});

export const datasetRoutes = [createDataset, listDatasets, getDataset, changeDataset];
