import { describe, expect, it } from 'vitest';
import type { Epoch, JobId, TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import type { Doorbell } from '../../../lib/job/ports.ts';
import {
  executionInput,
  executionName,
  MAX_STATE_BYTES,
  parseSettleCall,
  parseStageCall,
} from '../../../lib/pipeline/calls.ts';

const ids = { tenant: 'acme', workspace: 'main', id: 'job_01HF7YAT00AAAAAAAAAAAAAAAA', epoch: 1_700_000_000_001 };
const bell: Doorbell = {
  ref: { tenant: 'acme' as TenantId, workspace: 'main' as WorkspaceId, id: ids.id as unknown as JobId },
  epoch: ids.epoch as Epoch,
};

describe('what passes between states', () => {
  it('is ids and the epoch, far below the limit of a state', () => {
    expect(JSON.parse(executionInput(bell))).toEqual(ids);
    expect(Buffer.byteLength(executionInput(bell))).toBeLessThan(MAX_STATE_BYTES / 1000);
    const long = { ...bell, ref: { ...bell.ref, tenant: 'x'.repeat(MAX_STATE_BYTES) as TenantId } };
    expect(() => executionInput(long)).toThrow(RangeError);
  });

  it('names an execution by job and epoch, in the characters that are allowed', () => {
    expect(executionName(bell)).toBe(`${ids.id}-${ids.epoch}`);
    expect(executionName(bell)).toMatch(/^[A-Za-z0-9_-]{1,80}$/);
  });

  it('is read back by the stage function', () => {
    expect(parseStageCall({ ...ids, pipeline: 'ingest', step: 'a+b' })).toEqual({
      bell,
      pipeline: 'ingest',
      step: 'a+b',
    });
    expect(() => parseStageCall({ ...ids, epoch: 'one', pipeline: 'ingest', step: 'a' })).toThrow();
    expect(() => parseStageCall({ ...ids, pipeline: 'ingest' })).toThrow();
  });

  it('is read back by the settle function, from the catch and from a status event', () => {
    const error = { Error: 'Runtime.HandlerError', Cause: '{"errorMessage":"settled: x"}' };
    expect(parseSettleCall({ ...ids, error })).toEqual({ bell, cause: error.Cause });
    expect(parseSettleCall({ ...ids, error: { Error: 'States.Timeout' } })).toEqual({ bell, cause: undefined });
    const detail = { status: 'TIMED_OUT', input: executionInput(bell), cause: null };
    expect(parseSettleCall({ source: 'aws.states', detail })).toEqual({ bell, cause: undefined });
    expect(() => parseSettleCall({ source: 'aws.states', detail: { input: '{}' } })).toThrow();
  });
});
