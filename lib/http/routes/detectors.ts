import * as z from 'zod';
import type { StoredDocument } from '../../core/documents.ts';
import { Fault } from '../../core/fault.ts';
import {
  type CustomDetector,
  customTag,
  detectorName,
  detectorSchema,
  MOST_DETECTORS,
} from '../../ingest/pii/custom.ts';
import { detectorFamily, detectorPlace } from '../../ingest/pii/workspace-detectors.ts';
import { conditionHeaders, etagAnswer, etagOf, versionToReplace } from '../etag.ts';
import { defineRoute } from '../route.ts';

const path = '/v1/detectors/{name}';
const params = z.strictObject({ name: detectorName });
const viewSchema = z
  .strictObject({
    name: z.string(),
    tag: z.string().meta({ description: 'The tag of a column that it finds.' }),
    ...detectorSchema.unwrap().shape,
    version: z.int().meta({ description: 'Its ETag, without the quotes.' }),
  })
  .meta({ id: 'Detector' });

type Body = Omit<CustomDetector, 'name'>;
const viewOf = ({ name, body, version }: StoredDocument<Body>): z.input<typeof viewSchema> => ({
  name,
  tag: customTag(name),
  ...body,
  version,
});

const absent = (name: string): Fault => new Fault('NOT_FOUND', `There is no detector "${name}" in this workspace.`);
const moved = (): Fault => new Fault('CONFLICT', 'Somebody has changed it at the same time.');

const putDetector = defineRoute({
  method: 'PUT',
  path,
  operationId: 'putDetector',
  summary: 'Make or change a detector of personal data',
  description: `Ingests that begin later use it, before the detectors of the service. At most ${MOST_DETECTORS} a workspace.`,
  access: 'datasets:write',
  servedBy: 'api',
  request: { params, headers: conditionHeaders, body: detectorSchema.unwrap() },
  answers: {
    200: { description: 'The detector as it is now.', schema: viewSchema, headers: etagAnswer },
    201: { description: 'It is new.', schema: viewSchema, headers: etagAnswer },
  },
  problems: ['CONFLICT', 'PRECONDITION_FAILED', 'LIMIT_EXCEEDED'],
  handle: async ({ deps, caller, params: { name }, body, request }) => {
    const family = detectorFamily(deps.documents);
    const place = detectorPlace(caller, name);
    const after = versionToReplace(request, (await family.get(place))?.version ?? 0);
    if (after === 0 && (await family.all(place)).length >= MOST_DETECTORS)
      throw new Fault('LIMIT_EXCEEDED', `A workspace may have ${MOST_DETECTORS} detectors.`);
    if ((await family.put(place, body, after)) === 'moved') throw moved();
    const version = after + 1;
    return { status: after === 0 ? 201 : 200, body: viewOf({ name, body, version }), headers: etagOf(version) };
  },
});

const getDetector = defineRoute({
  method: 'GET',
  path,
  operationId: 'getDetector',
  summary: 'Get a detector of personal data',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params },
  answers: { 200: { description: 'The detector.', schema: viewSchema, headers: etagAnswer } },
  handle: async ({ deps, caller, params: { name } }) => {
    const found = await detectorFamily(deps.documents).get(detectorPlace(caller, name));
    if (found === undefined) throw absent(name);
    return { status: 200, body: viewOf(found), headers: etagOf(found.version) };
  },
});

const listDetectors = defineRoute({
  method: 'GET',
  path: '/v1/detectors',
  operationId: 'listDetectors',
  summary: 'List the detectors of the workspace, by name',
  description: 'Those that come with the service are not among them.',
  access: 'datasets:read',
  servedBy: 'api',
  request: {},
  answers: { 200: { description: 'All of them.', schema: z.strictObject({ data: z.array(viewSchema) }) } },
  handle: async ({ deps, caller }) => {
    const all = await detectorFamily(deps.documents).all(detectorPlace(caller, ''));
    return { status: 200, body: { data: all.map(viewOf) } };
  },
});

const removeDetector = defineRoute({
  method: 'DELETE',
  path,
  operationId: 'removeDetector',
  summary: 'Remove a detector of personal data',
  description: 'Columns keep the tags that it gave until they are looked at again.',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params, headers: { 'If-Match': conditionHeaders['If-Match'] } },
  answers: { 204: { description: 'It is gone.' } },
  problems: ['CONFLICT', 'PRECONDITION_FAILED'],
  handle: async ({ deps, caller, params: { name }, request }) => {
    const family = detectorFamily(deps.documents);
    const place = detectorPlace(caller, name);
    const found = await family.get(place);
    if (found === undefined) throw absent(name);
    if ((await family.remove(place, versionToReplace(request, found.version))) === 'moved') throw moved();
    return { status: 204, body: undefined };
  },
});

export const detectorRoutes = [putDetector, getDetector, listDetectors, removeDetector];
