import { describe, expect, it } from 'vitest';
import { renderOpenApi } from '../../../lib/http/openapi.ts';
import { problemsOf } from '../../../lib/http/route.ts';
import { routes } from '../../../lib/http/routes.ts';
import type { Json } from './harness.ts';

const document = JSON.parse(renderOpenApi());

/** Follows `#/components/…`. */
const resolved = (node: { $ref?: string }): Json =>
  node.$ref === undefined
    ? node
    : node.$ref
        .slice(2)
        .split('/')
        .reduce((at: Json, part) => at[part], document);

describe('the OpenAPI document', () => {
  it('describes every route, with every code that it can give', () => {
    expect(document.openapi).toBe('3.1.0');
    for (const route of routes) {
      const operation = document.paths[route.path][route.method.toLowerCase()];
      expect(operation.operationId).toBe(route.operationId);
      const told = Object.values<Json>(operation.responses)
        .map((response) => resolved(response).description)
        .join('\n');
      for (const code of problemsOf(route)) expect(told).toContain(`\`${code}\``);
    }
    expect(Object.keys(document.paths)).toEqual([...new Set(routes.map(({ path }) => path))]);
  });

  it('asks for a key exactly where the route does', () => {
    for (const route of routes) {
      const { security } = document.paths[route.path][route.method.toLowerCase()];
      expect(security).toEqual(route.access === 'public' ? [] : [{ apiKey: [] }]);
    }
  });

  it('says that the gateway may refuse a large upload before us', () => {
    expect(document.paths['/v1/datasets/{id}/files'].post.description).toMatch(/4\.4 MiB.*gateway/);
  });

  it('resolves every reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref);
    expect(references.length).toBeGreaterThan(10);
    for (const $ref of references) expect(resolved({ $ref: $ref! })).toBeTypeOf('object');
  });
});
