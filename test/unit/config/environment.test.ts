import { describe, expect, it } from 'vitest';
import { environments, readEnvironment } from '../../../lib/config/environment.ts';

const complete = {
  TABLE_NAME: 'jobs',
  BUCKET_NAME: 'objects',
  QUEUES: '{"worker":{"default":"https://sqs/worker","due":"https://sqs/worker-due"}}',
  STATE_MACHINES: '{"ingest":"arn:aws:states:::stateMachine:ingest"}',
  TENANT_CAP: '0',
  WORKSPACE_BYTES: '0',
  EMBEDDER: 'null',
};

describe('the environment', () => {
  it('names everything that is missing at once', () => {
    const message = 'TABLE_NAME is missing; BUCKET_NAME is missing';
    expect(() => readEnvironment('api', { QUEUES: complete.QUEUES })).toThrow(message);
    expect(() => readEnvironment('settle', {})).toThrow('TABLE_NAME is missing; QUEUES is missing');
  });

  it('says which variable cannot be read', () => {
    expect(() => readEnvironment('worker', { ...complete, STATE_MACHINES: '{' })).toThrow('STATE_MACHINES: not JSON');
    expect(() => readEnvironment('api', { ...complete, QUEUES: '{}' })).toThrow('QUEUES: the worker has no queues');
    expect(() => readEnvironment('query', { ...complete, DUCKDB_MEMORY_MB: 'much' })).toThrow('DUCKDB_MEMORY_MB');
  });

  it('answers parsed values, and only those that the function reads', () => {
    expect(readEnvironment('worker', complete).STATE_MACHINES).toEqual({
      ingest: 'arn:aws:states:::stateMachine:ingest',
    });
    expect(readEnvironment('query', { ...complete, DUCKDB_MEMORY_MB: '512' }).DUCKDB_MEMORY_MB).toBe(512);
    const { worker } = readEnvironment('api', complete).QUEUES;
    expect(worker).toEqual({ default: 'https://sqs/worker', due: 'https://sqs/worker-due', kinds: [] });
    expect(Object.keys(readEnvironment('settle', complete))).toEqual(['TABLE_NAME', 'QUEUES']);
  });

  it('gives no function a queue or a machine that it does not ring', () => {
    expect(environments.relay).not.toContain('STATE_MACHINES');
    expect(environments.query).not.toContain('STATE_MACHINES');
    expect(environments.watch).not.toContain('QUEUES');
    expect(environments.stage).not.toContain('STATE_MACHINES');
  });
});
