// A short job that comes in large numbers: up to ten share an invocation, and so its price.
import { createHash } from 'node:crypto';
import { defineJob, seconds } from 'millrace';
import * as z from 'zod';

export const fingerprint = defineJob({
  kind: 'text.fingerprint',
  input: z.strictObject({ text: z.string().max(100_000) }),
  timeout: seconds(5),
  batch: true,
  run: async (_ctx, { text }) => ({ sha256: createHash('sha256').update(text).digest('hex'), characters: text.length }),
});
