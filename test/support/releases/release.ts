// The kinds of a release, for tests that deploy one after another: a job tells which release ran it.
import * as z from 'zod';
import { seconds } from '../../../lib/core/time.ts';
import { defineJob, type OwnKind } from '../../../lib/pipeline/own-kinds.ts';
import { badKinds } from '../bad-kinds.ts';

export const kindsOf = (release: number): readonly OwnKind[] => [
  defineJob({
    kind: 'release.tell',
    input: z.strictObject({ seconds: z.number() }),
    run: async (ctx, input) => {
      await ctx.clock.sleep(seconds(input.seconds), ctx.signal);
      ctx.signal.throwIfAborted();
      return { release };
    },
  }),
  ...badKinds,
];
