// One project a layer. The fast ones need nothing; contract, integration and e2e start a local cloud of their own, once.
import { defineConfig } from 'vitest/config';
import { totalsReporter } from './test/support/reporter/totals.ts';

const layer = (name: string, more: object = {}) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], environment: 'node', ...more },
});

const onEmulator = (name: string, setup: string) =>
  layer(name, { globalSetup: [setup], testTimeout: 120_000, hookTimeout: 180_000, fileParallelism: false });

export default defineConfig({
  test: {
    projects: [
      layer('unit'),
      layer('protocol', { testTimeout: 60_000 }),
      layer('infra', { testTimeout: 180_000, hookTimeout: 180_000 }),
      layer('docs', { testTimeout: 60_000 }),
      onEmulator('contract', 'test/support/emulator.setup.ts'),
      onEmulator('integration', 'test/support/cloud.setup.ts'),
      onEmulator('e2e', 'test/support/cloud.setup.ts'),
    ],
    reporters: ['default', totalsReporter()],
  },
});
