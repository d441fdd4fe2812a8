import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { readSettings, tlsOnly } from '../../infra/settings.ts';
import { tableSchema } from '../../lib/store/table.ts';

const read = (context: Record<string, string>) => readSettings(new App({ context }).node);
const host = process.arch === 'arm64' ? 'arm64' : 'x86_64';

describe('the flags of a deployment', () => {
  it('deploy to AWS on arm64 by default, reserve nothing, and keep what is stored', () => {
    expect(read({})).toMatchObject({ target: 'aws', arch: 'arm64', retain: true, workers: 50 });
    expect(read({}).reserve).toBeUndefined();
    expect(tlsOnly(read({}))).toBe(true);
  });

  it('take the architecture of this machine for an emulator on it, and plain HTTP', () => {
    const local = read({ target: 'local' });
    expect(local).toMatchObject({ arch: host, retain: false, reserve: 6 });
    expect(tlsOnly(local)).toBe(false);
    expect(read({ target: 'local', arch: 'arm64', retain: 'true' })).toMatchObject({ arch: 'arm64', retain: true });
  });

  it('make every index of the table, or fewer where an update may add but one', () => {
    const all = tableSchema.indexes.length;
    expect(read({}).indexes).toBe(all);
    expect(read({ indexes: '3' }).indexes).toBe(3);
    expect(() => read({ indexes: String(all + 1) })).toThrow('indexes');
  });

  it('are refused by name when they cannot be read', () => {
    expect(() => read({ arch: 'mips', workers: 'many' })).toThrow(/arch[\s\S]*workers|workers[\s\S]*arch/);
    expect(() => read({ workers: '1' })).toThrow('workers');
  });
});
