import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import { gatesOf } from '../../../lib/job/submit/new-gates.ts';
import { type AnyKind, defineJob, type JobKind } from '../../../lib/job/registry.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { pipeline } from '../../../lib/pipeline/definition.ts';

const scope = { tenant: 'acme' as TenantId, workspace: 'main' as WorkspaceId };
type Options = Partial<Pick<JobKind<{ of: string }>, 'concurrency' | 'rate' | 'internal'>>;
const aKind = (options: Options = {}): AnyKind =>
  defineJob({ kind: 'work', input: z.object({ of: z.string() }), run: async () => null, ...options });
const gates = (kind: AnyKind, job: object = {}, settings = {}) =>
  gatesOf({ ...engineDefaults, ...settings }, kind, { scope, input: { of: 'a' }, ...job });

describe('the gates of a new job', () => {
  it('are none where nothing asks for one', () => {
    expect(gates(aKind())).toEqual({});
  });

  it('have the kind as their key, or what the kind makes of the input', () => {
    expect(gates(aKind({ concurrency: { limit: 2 } })).slots).toEqual([{ key: 'work', limit: 2 }]);
    const byInput = { key: ({ of }: { of: string }) => `of:${of}` };
    const kind = aKind({ concurrency: { ...byInput, limit: 2 }, rate: { ...byInput, perMinute: 6 } });
    expect(gates(kind)).toEqual({
      gated: true,
      slots: [{ key: 'of:a', limit: 2 }],
      rate: { key: 'of:a', perMinute: 6, burst: 1 },
    });
  });

  it('take the smaller limit where two ask for the same key, and the cap of the tenant beside', () => {
    const kind = aKind({ concurrency: { limit: 5 } });
    const job = { concurrencyKey: { key: 'work', limit: 3 } };
    expect(gates(kind, job, { tenantCap: 7 }).slots).toEqual([
      { key: 'work', limit: 3 },
      { key: 'tenant:acme', limit: 7 },
    ]);
    expect(gates(aKind({ internal: true }), {}, { tenantCap: 7 })).toEqual({});
  });

  it.each([
    ['an empty key', () => ''],
    ['a key of 201 characters', () => 'x'.repeat(201)],
    ["a key of the engine's own", () => 'tenant:other'],
    [
      'a throw',
      () => {
        throw new Error('no');
      },
    ],
  ])('are refused where the kind makes %s of the input', (_, key) => {
    const make = () => gates(aKind({ concurrency: { key, limit: 1 } }));
    expect(make).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });

  it('leave no way round the rate of the kind', () => {
    const kind = aKind({ rate: { perMinute: 1 } });
    expect(() => gates(kind, { rate: { key: 'other', perMinute: 1000 } })).toThrow('VALIDATION_FAILED');
  });
});

describe('the limits of a kind', () => {
  it.each([{ concurrency: { limit: 0 } }, { concurrency: { limit: 1e9 } }, { rate: { perMinute: 0.5 } }])(
    'that are none are refused when it is defined: %j',
    (options) => {
      expect(() => aKind(options)).toThrow('a whole number from 1 to 100000');
      expect(() => pipeline('p', { input: z.object({ of: z.string() }), version: '1', ...options })).toThrow(TypeError);
    },
  );
});
