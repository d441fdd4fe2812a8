// What S3 tells of objects that were put into the inbox.
import * as z from 'zod';
import { type Drop, dropAt } from './place.ts';
import type { Version } from './take.ts';

const eventSchema = z.lazy(() =>
  z.object({
    Records: z
      .array(
        z.object({
          s3: z.object({
            object: z.object({
              key: z.string(),
              eTag: z.string().optional(),
              sequencer: z.string().optional(),
            }),
          }),
        }),
      )
      // The event that S3 sends when a notification is set up has none.
      .default([]),
  }),
);

export interface Dropped {
  readonly drop: Drop;
  readonly version: Omit<Version, 'path'>;
}

export interface ReadEvent {
  readonly dropped: readonly Dropped[];
  /** Keys of what is no drop. */
  readonly ignored: readonly string[];
}

/** Of an event of S3; throws a ZodError for another one. */
export function droppedIn(event: unknown): ReadEvent {
  const dropped: Dropped[] = [];
  const ignored: string[] = [];
  for (const { s3 } of eventSchema.parse(event).Records) {
    const { key: written, eTag: etag, sequencer } = s3.object;
    const key = plainKey(written);
    const drop = key === undefined ? undefined : dropAt(key);
    if (drop === undefined) ignored.push(written);
    else dropped.push({ drop, version: { ...(etag && { etag }), ...(sequencer && { sequencer }) } });
  }
  return { dropped, ignored };
}

/** Keys come as forms write them: percent signs, and plus for a space. */
function plainKey(written: string): string | undefined {
  try {
    return decodeURIComponent(written.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
