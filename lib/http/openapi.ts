// The OpenAPI 3.1 document, written from the routes when docs are generated. Never imported by the app: the generator alone would
// more than triple a function's bundle.
import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from 'zod-openapi';
import { type FaultCode, faultCatalogue } from '../core/fault.ts';
import { problemSchema } from './problem.ts';
import { type Answer, problemsOf, type Route } from './route.ts';
import { routes } from './routes.ts';

/** A header, kept once among the components where it has an id. */
const header = (description: string, id?: string) =>
  z
    .string()
    .optional()
    .meta({ header: { description, ...(id !== undefined && { id }) } });

const everyHeader = {
  'X-Request-Id': header('Names this request; quote it when you report a problem.', 'RequestId'),
  'X-Correlation-Id': header(
    'As sent, where it has at most 128 of A–Z a–z 0–9 _ . : / = + -; else the request id.',
    'CorrelationId',
  ),
};

const headersOf = (headers: Readonly<Record<string, string>> = {}): z.ZodRawShape =>
  Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, header(description)]));

const success = ({ description, schema, instead = {}, headers }: Answer) => ({
  description,
  headers: z.object({ ...headersOf(headers), ...everyHeader }),
  ...(schema && { content: mediaTypes({ 'application/json': schema, ...instead }) }),
});

const mediaTypes = (schemas: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]));

const headersOfStatus: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'Bearer.' },
  503: { 'Retry-After': 'Seconds until another try is worth while.' },
};

const pascal = (code: string): string =>
  code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** One response a status, naming each code that can come with it; the same codes are the same component. */
const responseFor = remembered((codes: readonly FaultCode[], status: number) => ({
  id: codes.map(pascal).join('Or'),
  description: codes.map((code) => `\`${code}\`: ${faultCatalogue[code].title}`).join('\n\n'),
  headers: z.object({ ...headersOf(headersOfStatus[status]), ...everyHeader }),
  content: { 'application/problem+json': { schema: problemSchema } },
}));

function remembered<T>(make: (codes: readonly FaultCode[], status: number) => T) {
  const made = new Map<string, T>();
  return (codes: readonly FaultCode[], status: number): T => {
    const key = codes.join();
    const known = made.get(key) ?? make(codes, status);
    made.set(key, known);
    return known;
  };
}

function failures(codes: readonly FaultCode[]): ZodOpenApiResponsesObject {
  const byStatus = Map.groupBy(codes, (code) => faultCatalogue[code].status);
  return Object.fromEntries([...byStatus].map(([status, of]) => [String(status), responseFor(of, status)]));
}

const binary = { type: 'string', format: 'binary' } as const;

function bodyOf({ body, bodyOptional = false, upload }: Route['request']): Partial<ZodOpenApiOperationObject> {
  if (body) return { requestBody: { required: !bodyOptional, content: { 'application/json': { schema: body } } } };
  if (!upload) return {};
  const form = { type: 'object' as const, required: ['file'], properties: { file: { ...binary } } };
  const content = { 'application/octet-stream': { schema: binary }, 'multipart/form-data': { schema: form } };
  return { requestBody: { required: true, description: upload.description, content } };
}

/** Path and query schemas are objects: a parameter a field. */
const fieldsOf = (schema: z.ZodType | undefined): z.ZodObject | undefined =>
  schema instanceof z.ZodObject ? schema : undefined;

const requestHeaders = (headers: Readonly<Record<string, string>>): z.ZodRawShape =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, z.string().optional().meta({ description })]),
  );

function needsOf(access: Route['access']): string {
  if (access === 'public') return 'Needs no key.';
  return access === 'any' ? 'Any key will do.' : `Needs the scope \`${access}\`.`;
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const [path, query] = [fieldsOf(route.request.params), fieldsOf(route.request.query)];
  const { headers } = route.request;
  const answers = Object.entries(route.answers).map(([status, answer]) => [status, success(answer)]);
  const needs = needsOf(route.access);
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, needs].filter((text) => text !== undefined).join('\n\n'),
    security: route.access === 'public' ? [] : [{ apiKey: [] }],
    requestParams: {
      ...(path && { path }),
      ...(query && { query }),
      ...(headers && { header: z.object(requestHeaders(headers)) }),
    },
    ...bodyOf(route.request),
    responses: { ...(Object.fromEntries(answers) as ZodOpenApiResponsesObject), ...failures(problemsOf(route)) },
  };
}

function pathsOf(all: readonly Route[]) {
  const byPath = Map.groupBy(all, (route) => route.path);
  const operations = (of: readonly Route[]) =>
    Object.fromEntries(of.map((route) => [route.method.toLowerCase(), operationOf(route)]));
  return Object.fromEntries([...byPath].map(([path, of]) => [path, operations(of)]));
}

const description = [
  'Every error is a problem (RFC 9457) with a `code` of the catalogue and a `next` step.',
  'A path that no route has answers 404 `ROUTE_NOT_FOUND`; a wrong method 405 `METHOD_NOT_ALLOWED` with Allow.',
  'Ids of another tenant do not exist for a key: 404.',
].join('\n\n');

/** The document as it stands at docs/openapi.json: JSON text that ends with a newline. */
export function renderOpenApi(): string {
  const document = createDocument({
    openapi: '3.1.0',
    info: { title: 'Millrace', version: '1', description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: '`mr_<key id>_<secret>`' } },
    },
    paths: pathsOf(routes),
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}
