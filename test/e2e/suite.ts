// One suite, HTTP only, for every place where the service runs.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe } from 'vitest';
import { badInput } from './bad-input.ts';
import { badQueries } from './bad-queries.ts';
import { badRequests } from './bad-requests.ts';
import { createClient } from './client.ts';
import { command } from './command.ts';
import { dead } from './dead.ts';
import { deleting } from './deleting.ts';
import { derived } from './derived.ts';
import { ingesting } from './ingesting.ts';
import { jobs } from './jobs.ts';
import { limits } from './limits.ts';
import { queryResults } from './query-results.ts';
import { requests } from './requests.ts';
import { submitting } from './submitting.ts';
import type { Target } from './target.ts';
import type { World } from './world.ts';

type Part = (world: World) => void;

/** `more`: parts that only some places can run, by their name. */
export function suite(place: string, start: () => Promise<Target>, more: Readonly<Record<string, Part>> = {}): void {
  describe(place, () => {
    const world = {} as { -readonly [K in keyof World]: World[K] };
    beforeAll(async () => {
      const target = await start();
      Object.assign(world, { target, client: createClient(target), run: randomBytes(6).toString('hex') });
    });
    afterAll(() => world.target.stop());
    describe('requests', () => requests(world));
    describe('jobs', () => jobs(world));
    describe('submitting', () => submitting(world));
    describe('dead', () => dead(world));
    describe('limits', () => limits(world));
    describe('the command', () => command(world));
    describe('datasets', () => ingesting(world));
    describe('bad input', () => badInput(world));
    describe('bad requests', () => badRequests(world));
    describe('query results', () => queryResults(world));
    describe('derived tables', () => derived(world));
    describe('deleting', () => deleting(world));
    describe('bad queries', () => badQueries(world));
    for (const [name, part] of Object.entries(more)) describe(name, () => part(world));
  });
}
