import { describe, expect, it } from 'vitest';
import { faultCatalogue } from '../../../lib/core/fault.ts';
import { pathPart, problemsOf } from '../../../lib/http/route.ts';
import { lateRoutes } from '../../../lib/http/late-routes.ts';
import { promptRoutes } from '../../../lib/http/prompt-routes.ts';
import { routes } from '../../../lib/http/routes.ts';

describe('routes', () => {
  it('have only path parts that API Gateway takes', () => {
    for (const { path } of routes) {
      const [base, ...parts] = path.split('/');
      expect(base).toBe('');
      expect(parts.filter((part) => !pathPart.test(part))).toEqual([]);
    }
    for (const part of ['jobs:batch', '', 'a b', '{id}:cancel', '{a+}', '{}'])
      expect([part, pathPart.test(part)]).toEqual([part, false]);
  });

  it('are each one operation at one path', () => {
    const operations = routes.map((route) => route.operationId);
    expect(new Set(operations).size).toBe(routes.length);
    expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
  });

  it('need a key, but for health, the document and the meaning of problems', () => {
    const open = routes.filter(({ access }) => access === 'public').map(({ path }) => path);
    expect(open).toEqual(['/v1/health', '/v1/openapi.json', '/v1/problems/{code}']);
  });

  it('are served by another function exactly where they say so', () => {
    const idsOf = (by: string) => routes.filter(({ servedBy }) => servedBy === by).map((route) => route.operationId);
    expect(idsOf('query').sort()).toEqual([
      ...[
        'deriveTable',
        'explainQuery',
        'getQueryPage',
        'getTableData',
        'previewFile',
        'previewUpload',
        'putSavedQuery',
      ],
      ...['queryDataset', 'runSavedQuery', 'search', 'validateQuery'],
    ]);
    expect(idsOf('watch')).toEqual(['watchJob', 'listJobEvents']);
  });

  it('are late or prompt by the first part of their path, which tells the app which of them to ask', () => {
    const stems = (of: typeof routes) => of.map(({ path }) => path.split('/')[2]);
    const prompt = stems(promptRoutes);
    expect(stems(lateRoutes).filter((stem) => prompt.includes(stem))).toEqual([]);
  });

  it('name the parameters of their path in their schema', () => {
    for (const { path, request } of routes) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const shape = request.params as undefined | { shape: object };
      expect(Object.keys(shape?.shape ?? {})).toEqual(named);
    }
  });

  it('answer with codes of the catalogue', () => {
    for (const route of routes) for (const code of problemsOf(route)) expect(faultCatalogue).toHaveProperty(code);
  });
});
