import { describe, expect, it } from 'vitest';
import { whyInstall } from '../../../scripts/setup/packages.mjs';

const lock = (packages: Record<string, { version?: string; optional?: boolean }>) => ({ packages });

describe('whether npm has to run', () => {
  it('asks for it when nothing is installed', () => {
    expect(whyInstall(lock({}), undefined)).toBe('node_modules is missing');
  });

  it('asks for it when a package is missing or at another version', () => {
    const wanted = lock({ '': {}, 'node_modules/a': { version: '2.0.0' } });
    expect(whyInstall(wanted, lock({ 'node_modules/a': { version: '1.0.0' } }))).toBe('a is not at 2.0.0');
    expect(whyInstall(wanted, lock({}))).toBe('a is not at 2.0.0');
  });

  it('leaves out what other platforms need, and what was installed besides', () => {
    const wanted = lock({
      'node_modules/a': { version: '2.0.0' },
      'node_modules/mac': { version: '1.0.0', optional: true },
    });
    const installed = lock({ 'node_modules/a': { version: '2.0.0' }, 'node_modules/b': { version: '1.0.0' } });
    expect(whyInstall(wanted, installed)).toBeUndefined();
  });

  it('refuses to guess without a lockfile', () => {
    expect(() => whyInstall(undefined, undefined)).toThrow('package-lock.json is missing');
  });
});
