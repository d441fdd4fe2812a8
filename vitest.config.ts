// One project a layer. The fast ones need nothing; contract, integration and e2e start a local cloud of their own, once. What mostly waits runs
// beside what computes: contract among the fast ones, and three that wait beside each other.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { totalsReporter } from './test/support/reporter/totals.ts';

interface More {
  readonly globalSetup?: string[];
  readonly testTimeout?: number;
  readonly hookTimeout?: number;
  readonly fileParallelism?: boolean;
  readonly maxWorkers?: number;
  readonly sequence?: { readonly groupOrder: number };
}

/** `millrace` and `#own-kinds` mean the sources here, as in every command of the checkout. */
const source = 'millrace-source';
const conditions = [source, 'node', 'import', 'default'];

const layer = (name: string, more: More = {}) => ({
  ssr: { resolve: { conditions } },
  test: {
    execArgv: [`--conditions=${source}`],
    name,
    include: [`test/${name}/**/*.test.ts`],
    environment: 'node',
    ...more,
  },
});

/** The default leaves a core free, which of two is half of the machine. */
const workers = Math.max(2, availableParallelism() - 1);
/** Where tests wait for a cloud more than they compute. */
const waiting = { maxWorkers: Math.max(3, workers) };

/** Projects with a higher order wait for those with a lower one; the fast ones share order 0. */
const onEmulator = (name: string, groupOrder: number, setup: string, more: More = {}) =>
  layer(name, {
    globalSetup: [`test/support/${setup}.setup.ts`],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    sequence: { groupOrder },
    ...more,
  });

export default defineConfig({
  test: {
    projects: [
      layer('unit', { testTimeout: 60_000 }),
      layer('protocol', { testTimeout: 180_000 }),
      layer('infra', { testTimeout: 180_000, hookTimeout: 180_000 }),
      layer('docs', { testTimeout: 60_000 }),
      onEmulator('contract', 0, 'emulator', { fileParallelism: true }),
      onEmulator('integration', 1, 'cloud'),
      // The same suite against each target, side by side: they share nothing, and mostly wait. So does a cloud that is
      // stopped and started meanwhile, which is that test's own.
      onEmulator('e2e', 2, 'cloud', { fileParallelism: true, ...waiting }),
      layer('restart', { testTimeout: 120_000, sequence: { groupOrder: 2 }, ...waiting }),
    ],
    maxWorkers: workers,
    reporters: ['default', totalsReporter()],
    teardownTimeout: 60_000,
  },
});
