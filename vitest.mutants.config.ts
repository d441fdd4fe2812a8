// The fast tests that a mutant of the rule tables has to get past (`npm run mutate`), without the simulation, which is run before.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/unit/{job,rule,pipeline,events,http,store}/**/*.test.ts',
      'test/protocol/**/*.test.ts',
      'test/contract/sqlite.contract.test.ts',
    ],
    exclude: ['test/protocol/{safety,broken-table,broken-reader,table-laws,ingest,shrink,own-kinds}.test.ts'],
    setupFiles: ['scripts/mutate/setup.ts'],
    testTimeout: 60_000,
  },
});
