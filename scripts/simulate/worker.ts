// A thread of `npm run simulate`: it runs the seeds that it is told.
import { parentPort } from 'node:worker_threads';
import { explore } from '../../lib/testing/simulation/explore.ts';
import { useMutant } from '../mutate/mutant.ts';
import type { SeedTask } from './options.ts';

// A simulated fault is thrown thousands of times a second, and nobody reads where.
Error.stackTraceLimit = 0;

parentPort?.on('message', ({ from, count, mutant }: SeedTask) => {
  if (mutant !== undefined) useMutant(mutant);
  void explore({ from, count }).then((explored) => parentPort?.postMessage(explored));
});
