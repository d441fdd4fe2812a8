// The second half of the seeds of safety.test.ts, in a file of its own so that both run at once.
import { expect, it } from 'vitest';
import { explored, seedsOfFile, told } from './support/seeds.ts';

it('whatever else goes wrong, no law is broken', async () => {
  const { broken } = await explored(seedsOfFile, (seed) => ({ seed }), seedsOfFile + 1);
  expect(broken === undefined ? 'no violation' : told(broken)).toBe('no violation');
}, 240_000);
